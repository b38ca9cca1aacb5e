import { createClient } from '@strata/client'
import { type MirrorObserver, runOriginMirror } from '@strata/controllers'
import type { Transport, World } from '@strata/world'
import { builtInResources } from '../configuration/index.ts'
import type { MirrorMetrics } from '../metrics/index.ts'
import type { Loopback } from './loopback.ts'
import { runAsClient } from './run-as-client.ts'
import type { ServerOptions, StrataServer } from './server-options.ts'

/** An aggregator that accepts a request and does not answer must not stop the mirror for ever. */
const answerMs = 10_000

export interface MirrorParts {
  /** Reaches the aggregator, with the credentials of this server. */
  readonly aggregator: Transport
  readonly observe: MirrorObserver
  readonly mirror?: typeof runOriginMirror
}

/**
 * Shows the Leases and storage versions of an aggregated fleet in its aggregator while this server is the leader
 * (`runOriginMirror`), until the signal is aborted. Serving and readiness do not depend on it.
 */
export function runMirror(
  server: Pick<StrataServer, 'handle'>,
  loopback: Pick<Loopback, 'token'>,
  world: World,
  { aggregator: transport, observe, mirror = runOriginMirror }: MirrorParts,
  signal: AbortSignal,
): Promise<void> {
  const name = 'strata-aggregated-mirror'
  const { clock } = world
  const aggregator = createClient({ transport, userAgent: name, answerLimit: { clock, answerMs } })
  const work = {
    name,
    failure: 'mirroring into the aggregator failed',
    run: (client: Parameters<typeof mirror>[0]['client']) =>
      mirror({ world, client, aggregator, isMirrored: isOwn, observe }, signal),
  }
  return runAsClient(server, loopback, world, work, signal)
}

/** The mirror of a server, from its start until it stops. */
export interface ServerMirror {
  start(): void
  /** Lets the next server lead at once. Call it while this server still answers. */
  stop(): Promise<void>
}

/** Undefined if the server is not behind an aggregator. */
export function createMirror(
  server: Pick<StrataServer, 'handle'>,
  loopback: Pick<Loopback, 'token'>,
  { aggregated, world }: Pick<ServerOptions, 'aggregated' | 'world'>,
  metrics: MirrorMetrics,
): ServerMirror | undefined {
  if (!aggregated) return undefined
  const { aggregator } = aggregated
  const ended = new AbortController()
  let running: Promise<void> = Promise.resolve()
  return {
    start: () => {
      const parts: MirrorParts = { aggregator, observe: (write) => metrics.observe(write) }
      running = runMirror(server, loopback, world, parts, ended.signal)
    },
    stop: async () => {
      ended.abort(new Error('the server is shutting down'))
      await running
    },
  }
}

const builtInGroups: ReadonlySet<string> = new Set(builtInResources.map(({ group }) => group))

/** The aggregator has the built-in groups itself. */
function isOwn({ group }: { readonly group: string }): boolean {
  return !builtInGroups.has(group)
}
