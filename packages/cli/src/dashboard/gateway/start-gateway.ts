import type { World } from '@strata/world'
import { createRehearsals } from '../../rehearse/answer-rehearsals.ts'
import { loadDashboardAssets } from '../assets/load-assets.ts'
import { answerRequest, type PlaygroundHandler } from './answer-request.ts'
import { type LocalPort, listenLocally } from './listen-locally.ts'
import type { Upstream } from './pass-on.ts'
import { SignIn } from './sign-in.ts'
import { SignInLinks } from './sign-in-links.ts'

export interface GatewayOptions {
  readonly upstream: Upstream
  /** The name of the cluster, for the title of the page. */
  readonly cluster: string
  readonly allowWrites: boolean
  readonly playground?: PlaygroundHandler | undefined
  readonly listen: LocalPort
  /** Shows a link that signs in to the user at the terminal, and to nothing else. The page can ask for it. */
  readonly printLink: (link: string) => void
}

export interface Gateway {
  /** Without a code: the page then says how to sign in. */
  readonly url: string
  /** An address that signs in once, within two minutes. */
  createLink(): string
  close(): Promise<void>
}

/** Serves the dashboard on this machine, and passes its requests on to the cluster. */
export async function startGateway(options: GatewayOptions, { clock, random, log }: World): Promise<Gateway> {
  const { listen, printLink, ...rest } = options
  const signIn = new SignIn({ clock, random })
  let url = ''
  const links = new SignInLinks({ signIn, clock, print: printLink, url: () => url })
  const parts = { ...rest, signIn, links, loadAssets: loadDashboardAssets, rehearsals: createRehearsals() }
  const listener = await listenLocally(listen, (request) => answerRequest(request, parts), log)
  url = `http://127.0.0.1:${listener.port}/dashboard/`
  return { url, createLink: () => links.create(), close: () => listener.close() }
}
