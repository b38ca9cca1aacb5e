import { ApiError } from '@strata/api'
import type { HttpResponse } from '@strata/world'
import { answerAsset } from '../assets/answer-asset.ts'
import type { Assets } from '../assets/packed-assets.ts'
import { answerSession, type SessionFacts } from './answer-session.ts'
import { answerError, answerJson } from './answers.ts'
import { decideRequest } from './decide-request.ts'
import { denyRequest } from './deny-request.ts'
import { bearerOf, type GatewayRequest, headerOf } from './gateway-request.ts'
import { passOn, type Upstream } from './pass-on.ts'
import { readUser } from './read-user.ts'
import type { SignIn } from './sign-in.ts'
import type { SignInLinks } from './sign-in-links.ts'
import { watchTogether } from './watch-together.ts'

/** Controls of a playground, at `/playground/v1/…`. Only requests that may use them get there. */
export type PlaygroundHandler = (request: GatewayRequest) => Promise<HttpResponse>

/** Plays rehearsals, at `/rehearsals`. Only requests of users who have signed in get there. */
export type RehearsalHandler = (request: GatewayRequest) => Promise<HttpResponse>

export interface GatewayParts {
  readonly upstream: Upstream
  readonly signIn: SignIn
  readonly links: SignInLinks
  /** Called for each request of a file. */
  readonly loadAssets: () => Promise<Assets>
  /** The name of the cluster, for the title of the page. */
  readonly cluster: string
  readonly allowWrites: boolean
  readonly playground?: PlaygroundHandler | undefined
  readonly rehearsals: RehearsalHandler
}

/** The gateway as a function. Every request is decided about first, in one place. */
export async function answerRequest(request: GatewayRequest, parts: GatewayParts): Promise<HttpResponse> {
  const { signIn, links, allowWrites, playground, upstream } = parts
  const { method, target } = request
  const decision = decideRequest({
    ...{ method, target, allowWrites, hasPlayground: playground !== undefined },
    host: headerOf(request, 'host'),
    origin: headerOf(request, 'origin'),
    fetchSite: headerOf(request, 'sec-fetch-site'),
    fetchMode: headerOf(request, 'sec-fetch-mode'),
    isSignedIn: signIn.isOpen(bearerOf(request)),
  })
  if ('deny' in decision) return answerError(denyRequest(decision.deny))
  try {
    switch (decision.allow) {
      case 'file':
        return answerAsset(await parts.loadAssets(), {
          ...{ method, target },
          acceptEncoding: headerOf(request, 'accept-encoding'),
          ifNoneMatch: headerOf(request, 'if-none-match'),
        })
      case 'session':
        return await answerSession(request, signIn, (signal) => readFacts(parts, signal))
      case 'link':
        links.show()
        return answerJson(202, {})
      case 'api':
        return await passOn(request, upstream)
      case 'watches':
        return await watchTogether(request, upstream)
      case 'rehearsals':
        return await parts.rehearsals(request)
      case 'playground':
        return playground ? await playground(request) : answerError(denyRequest('NotFound'))
    }
  } catch (error) {
    if (error instanceof ApiError) return answerError(error)
    throw error
  }
}

async function readFacts(parts: GatewayParts, signal: AbortSignal): Promise<SessionFacts> {
  const { cluster, allowWrites, playground, upstream } = parts
  const user = await readUser(upstream, signal)
  return { user, cluster, allowWrites, playground: playground !== undefined }
}
