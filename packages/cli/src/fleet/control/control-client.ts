import { ApiError, isStatus } from '@strata/api'
import { isSuccess } from '@strata/client'
import { type HttpBody, type HttpResponse, readAll, TransportError, utf8 } from '@strata/world'
import { createNodeTransport } from '@strata/world/node'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import type { FleetState, SceneView } from '../state/fleet-state.ts'
import { scenePath, signInLinkPath } from './answer-control.ts'
import { playgroundPaths } from './answer-playground.ts'
import { noFleet, readControlAccess } from './control-file.ts'
import type { PlaygroundAction } from './read-action.ts'

/** A running fleet, as the commands see it. */
export interface FleetControl {
  read(): Promise<FleetState>
  /** The present state, then each newer one. Ends when the fleet does. */
  watch(): AsyncGenerator<FleetState, void>
  /** Throws a `CliError` with the fleet's reason if it is refused. Returns what the user should know about it, if anything. */
  act(action: PlaygroundAction): Promise<string | undefined>
  /** An address of the dashboard that signs in once, within two minutes. */
  createLink(): Promise<string>
  /** Shows what a scene does to who watches the fleet. */
  tellScene(view: SceneView): Promise<void>
  close(): void
}

/** Connects to the fleet that runs in this data directory. */
export async function connectFleet(dataDir: string, signal: AbortSignal): Promise<FleetControl> {
  const { socket, secret } = await readControlAccess(dataDir)
  const transport = createNodeTransport({ server: 'http://playground', token: secret, socketPath: socket })
  const send = async (method: string, target: string, content?: object): Promise<HttpResponse> => {
    const body = content && utf8.encode(JSON.stringify(content))
    const headers = body ? { 'content-type': 'application/json' } : {}
    const answer = await transport({ method, target, headers, body, signal }).catch((error: unknown) => {
      // The fleet was killed, and left the file behind.
      throw error instanceof TransportError && error.reached === 'no' ? noFleet(dataDir, error) : error
    })
    if (!isSuccess(answer)) throw refusalOf(utf8.decode(await readAll(answer.body)))
    return answer
  }
  return {
    read: async () => {
      const { body } = await send('GET', playgroundPaths.fleet)
      return JSON.parse(utf8.decode(await readAll(body))) as FleetState
    },
    watch: async function* () {
      const { body } = await send('GET', `${playgroundPaths.fleet}?watch=1`)
      for await (const line of linesOf(body)) yield JSON.parse(line) as FleetState
    },
    act: async (action) => {
      const { body } = await send('POST', playgroundPaths.actions, action)
      return (JSON.parse(utf8.decode(await readAll(body))) as { readonly message?: string }).message
    },
    createLink: async () => {
      const { body } = await send('POST', signInLinkPath)
      return (JSON.parse(utf8.decode(await readAll(body))) as { readonly link: string }).link
    },
    tellScene: async (view) => {
      await readAll((await send('PUT', scenePath, view)).body)
    },
    close: () => transport.close(),
  }
}

function refusalOf(text: string): Error {
  const status: unknown = JSON.parse(text)
  if (!isStatus(status)) return new CliError(`the fleet answered: ${text}`, exitCodes.notSeen)
  const error = new ApiError(status.code, status.reason ?? '', status.message ?? '')
  return new CliError(error.message, 1, { cause: error })
}

async function* linesOf(body: HttpBody): AsyncGenerator<string, void> {
  if (body instanceof Uint8Array) return
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines.filter((line) => line !== '')
  }
}
