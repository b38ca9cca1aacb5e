import { type Client, createClient } from '@strata/client'
import type { Clock, Transport } from '@strata/world'

export interface SessionAccess {
  readonly transport: Transport
  readonly clock: Clock
  readonly token: string | undefined
}

const answerMs = 20_000
/** Counts and reviews read all that is stored. */
const longAnswerMs = 120_000

/**
 * With the credentials of the session, for what a view asks on demand. A server that freezes with a request open never
 * answers it: each has a limit, or a button would stay disabled, and no resource would be counted again.
 */
export function createSessionClient({ transport, clock, token }: SessionAccess): Client {
  const answerLimit = { clock, answerMs, longAnswerMs }
  return createClient({ transport, answerLimit, ...(token === undefined ? {} : { token }) })
}
