import { clientAuthorities, coordinationDefaults, createServer, listen, serverId } from '@strata/server'
import type { Store } from '@strata/server/store'
import type { Transport, World } from '@strata/world'
import { resources } from '../lighthouse/resources.ts'

export interface EmbeddedOptions {
  readonly world: World
  readonly store: Store
  /** Reaches the aggregator, with the rights of rights.yaml. */
  readonly aggregator: Transport
  readonly tls: { readonly cert: string; readonly key: string }
  readonly port: number
  readonly signal: AbortSignal
}

/** An aggregated server inside of another program: what `strata serve --aggregated` does, in a few lines. */
export async function startEmbedded({ world, store, aggregator, tls, port, signal }: EmbeddedOptions) {
  const { clock, log, processes } = world
  const server = createServer({
    ...{ world, store, resources, aggregated: { aggregator } },
    // The users are those of the aggregator.
    tokens: () => undefined,
    coordination: { ...coordinationDefaults, serverID: serverId(processes.hostname, String(port)) },
  })
  const { handle, trust } = server
  const authorities = clientAuthorities(trust?.current)
  const listener = await listen({
    handle,
    host: '127.0.0.1',
    port,
    tls: { ...tls, ...authorities },
    clock,
    log,
  })
  // The CAs of the aggregator become known when its ConfigMap has been read, and may change later.
  if (trust) trust.onChange = (next) => listener.setAuthorities(clientAuthorities(next))
  await server.start(signal)
  return {
    port: listener.port,
    isReady: () => server.ready,
    stop: async (cut: AbortSignal) => {
      await server.stop(10_000)
      await listener.close(cut)
    },
  }
}
