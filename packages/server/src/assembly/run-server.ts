import { deadline, sleep, type World } from '@strata/world'
import { serveDefaults } from '../configuration/index.ts'
import { IdentityTaken } from '../coordination/index.ts'
import { type AdminCredential, type FleetCredentials, writeKubeconfig } from '../credentials/index.ts'
import type { ClientTrust } from '../delegation/index.ts'
import { budgetLimits, type Listener, listen } from '../http/index.ts'
import { runsCollectors } from './check-flags.ts'
import { clientAuthorities } from './client-authorities.ts'
import { explainListen } from './explain-failure.ts'
import type { Loopback } from './loopback.ts'
import { runCollectors } from './run-collectors.ts'
import type { ServeEnd, ServeOptions } from './serve-options.ts'
import type { StrataServer } from './server-options.ts'

export interface ServedParts {
  readonly options: ServeOptions
  readonly world: World
  readonly credentials: FleetCredentials
  /** Which client certificates are accepted. An aggregated server asks its aggregator for the rest. */
  readonly trust: ClientTrust
  /** Set if `--kubeconfig-out` is given. */
  readonly admin?: AdminCredential | undefined
  readonly loopback: Loopback
  readonly onReady: (info: { readonly url: string }) => void
}

/** Runs from the open socket to the stop message. */
export async function runServer(
  server: StrataServer,
  { options, world, credentials, trust, admin, loopback, onReady }: ServedParts,
  signal: AbortSignal,
): Promise<ServeEnd> {
  const ended = Promise.withResolvers<ServeEnd>()
  server.coordinator.onFatal = (why) => ended.resolve({ end: 'refused', why })
  const { bindAddress, securePort } = options
  const listener: Listener = await listen({
    handle: server.handle,
    takesUpgrade: server.takesUpgrade,
    host: bindAddress,
    port: securePort,
    tls: { ...credentials.tls, ...clientAuthorities(trust) },
    clock: world.clock,
    log: world.log,
    // With AlwaysAllow, requests without credentials are expected and cost nothing.
    budget: options.authorizationModes?.includes('AlwaysAllow')
      ? { ...budgetLimits, requestUnits: 0 }
      : budgetLimits,
  }).catch((error: unknown) => {
    throw explainListen(options, error)
  })
  if (server.trust) server.trust.onChange = (next) => listener.setAuthorities(clientAuthorities(next))
  const url = `https://${bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress}:${listener.port}`
  world.log.info('listening', { url, serverID: server.coordinator.identity.serverID })
  const starting = server.start(signal).then(async () => {
    if (options.kubeconfigOut !== undefined && admin !== undefined) {
      // Named after the server: when kubeconfigs are merged, contexts with the same name hide each other.
      const servers = [{ name: options.instance ?? `strata-${listener.port}`, url }]
      const { caFile } = credentials
      await writeKubeconfig({ path: options.kubeconfigOut, servers, caFile, token: admin })
    }
    onReady({ url })
  })
  starting.catch((error: unknown) => {
    if (signal.aborted) return
    const why = error instanceof Error ? error.message : String(error)
    if (!(error instanceof IdentityTaken)) world.log.error('could not start', { error: why })
    ended.resolve({ end: 'refused', why })
  })
  const collecting = new AbortController()
  // Collectors also run while this server is not ready: it may wait for the entry of a dead server.
  const collectors = runsCollectors(options)
    ? runCollectors(server, loopback, world, collecting.signal)
    : Promise.resolve()
  signal.addEventListener('abort', () => ended.resolve({ end: 'stopped' }), { once: true })
  if (signal.aborted) ended.resolve({ end: 'stopped' })

  const end = await ended.promise
  // The collectors release their Lease while this server still answers, so the next leader need not wait.
  collecting.abort(new Error('the server is shutting down'))
  await collectors
  // Unready first: a load balancer gets this long to notice while requests are still served.
  if (end.end === 'stopped') {
    server.drain()
    await sleep(world.clock, options.shutdownDelayMs ?? serveDefaults.shutdownDelayMs)
  }
  const leftClean = await server.stop(options.drainMs ?? 60_000)
  // Watches have ended and writes are done. Only answers to slow readers are left.
  const cut = deadline(world.clock, 5_000)
  await listener.close(cut.signal)
  cut.dispose()
  if (end.end === 'stopped') world.log.info(stopMessage(leftClean, server.coordinator.recordsWrites))
  return end
}

function stopMessage(leftClean: boolean, recordsWrites: boolean): string {
  if (!leftClean) return 'stopped'
  return recordsWrites
    ? 'stopped; storage version entries removed'
    : 'stopped; no storage version entries to remove'
}
