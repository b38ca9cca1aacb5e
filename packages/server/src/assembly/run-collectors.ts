import { createHash, timingSafeEqual } from 'node:crypto'
import { identityNamespace, namespaces } from '@strata/api'
import { type Client, createClient } from '@strata/client'
import { runAgreementCollectors } from '@strata/controllers'
import { jitter, sleep, uuid, type World } from '@strata/world'
import type { TokenLookup, User } from '../authentication/index.ts'
import type { StrataServer } from './server-options.ts'

/** Like upstream's loopback client: the token is created at the start, never leaves the process and may do everything. */
const loopbackUser: User = { name: 'system:apiserver', groups: ['system:masters'] }

/** Credentials with which a server sends requests to itself. */
export interface Loopback {
  readonly token: string
  /** Accepts the loopback token, and the tokens of `others`. */
  readonly tokens: TokenLookup
}

export function createLoopback({ random }: Pick<World, 'random'>, others: TokenLookup): Loopback {
  const token = `${uuid(random)}${uuid(random)}`
  const own = digest(token)
  return {
    token,
    tokens: (presented) => (timingSafeEqual(digest(presented), own) ? loopbackUser : others(presented)),
  }
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/**
 * Runs the collectors of expired servers while this server is the leader (`runAgreementCollectors`), until the signal is
 * aborted. A bug in a collector ends that term, not the server: the next leader would meet the same bug and stop as well.
 */
export async function runCollectors(
  { handle }: Pick<StrataServer, 'handle'>,
  { token }: Loopback,
  world: World,
  signal: AbortSignal,
  collect: typeof runAgreementCollectors = runAgreementCollectors,
): Promise<void> {
  const client = createClient({ transport: handle, token, userAgent: 'strata-agreement-collectors' })
  while (!signal.aborted) {
    try {
      await untilServed(client, world, signal)
      if (!signal.aborted) await collect({ world, client, signal })
    } catch (error) {
      if (signal.aborted) return
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
      world.log.error('collecting expired servers failed; trying again in a minute', { error: text })
      await sleep(world.clock, jitter(world.random, 60_000, 0.2), signal).catch(() => {})
    }
  }
}

/** A server that starts on a new store has no namespace for Leases yet. */
async function untilServed(
  client: Client,
  { clock, random }: Pick<World, 'clock' | 'random'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await client.resource(namespaces, 'v1').get({ name: identityNamespace }, signal)
      return
    } catch {
      await sleep(clock, jitter(random, 1_000, 0.5), signal).catch(() => {})
    }
  }
}
