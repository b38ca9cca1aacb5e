import { identityNamespace, namespaces } from '@strata/api'
import { type Client, createClient } from '@strata/client'
import { jitter, sleep, type World } from '@strata/world'
import type { Loopback } from './loopback.ts'
import type { StrataServer } from './server-options.ts'

/**
 * Runs controllers inside of a server, as a client of itself, until the signal is aborted. A bug in one ends that run, not the
 * server: the next leader would meet the same bug and stop as well.
 */
export async function runAsClient(
  { handle }: Pick<StrataServer, 'handle'>,
  { token }: Pick<Loopback, 'token'>,
  world: World,
  {
    name,
    failure,
    run,
  }: {
    /** The user agent. */
    readonly name: string
    /** What the log says when it failed. */
    readonly failure: string
    readonly run: (client: Client) => Promise<void>
  },
  signal: AbortSignal,
): Promise<void> {
  const client = createClient({ transport: handle, token, userAgent: name })
  while (!signal.aborted) {
    try {
      await untilServed(client, world, signal)
      if (!signal.aborted) await run(client)
    } catch (error) {
      if (signal.aborted) return
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
      world.log.error(`${failure}; trying again in a minute`, { error: text })
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
