import type { RehearsalResult } from '@strata/rehearsal/result'
import { type HttpResponse, readAll, utf8 } from '@strata/world'
import { askGateway, type GatewayAccess } from './ask-gateway.ts'

/** A path that the gateway knows. */
export interface RehearsalExample {
  readonly name: string
  readonly title: string
  readonly path: object
}

/** Plays rehearsals. Only a gateway can: API servers play none. */
export interface RehearsalPlayer {
  examples(): Promise<readonly RehearsalExample[]>
  /** Throws what is wrong with the path. */
  play(path: string): Promise<RehearsalResult>
}

export function createRehearsalPlayer(access: GatewayAccess, signal: AbortSignal): RehearsalPlayer {
  const target = '/rehearsals'
  return {
    examples: async () => {
      const answer = await bodyOf(await askGateway(access, 'GET', target, undefined, signal))
      return (answer as { readonly rehearsals: readonly RehearsalExample[] }).rehearsals
    },
    play: async (path) =>
      (await bodyOf(await askGateway(access, 'POST', target, path, signal))) as RehearsalResult,
  }
}

const bodyOf = async ({ body }: HttpResponse): Promise<unknown> =>
  JSON.parse(utf8.decode(await readAll(body)))
