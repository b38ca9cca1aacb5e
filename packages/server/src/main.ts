import { join } from 'node:path'
import type { ResourceDefinition } from '@strata/api'
import { deadline, sleep, type World } from '@strata/world'
import { createNodeOutbound } from '@strata/world/node'
import { type AuthorizationMode, authorizationModes } from './assembly/access-control.ts'
import { decodableKinds, ownRelease } from './assembly/decodable-kinds.ts'
import { type EncryptionFlags, type OpenedEncryption, openEncryption } from './assembly/open-encryption.ts'
import { decryptStore } from './assembly/reload-encryption.ts'
import { createLoopback, type Loopback, runCollectors } from './assembly/run-collectors.ts'
import type { StrataServer } from './assembly/server-options.ts'
import { type AuditFlags, openAudit } from './audit/index.ts'
import {
  ConfigurationProblem,
  defaultFeatureGates,
  errorCode,
  type FeatureGates,
  knownApis,
  loadResources,
  makeDirectory,
  parseFeatureGates,
  parseRuntimeConfig,
  readAuthorities,
  serveDefaults,
} from './configuration/index.ts'
import {
  type CoordinationOptions,
  coordinationDefaults,
  IdentityTaken,
  type ProtocolRules,
  serverId,
} from './coordination/index.ts'
import {
  type AdminCredential,
  ensureCredentials,
  type FleetCredentials,
  loadKubeconfigCredential,
  loadServiceAccountTokens,
  type ServiceAccountFlags,
  TokenFile,
  writeKubeconfig,
} from './credentials/index.ts'
import { inFlightDefaults } from './filters/index.ts'
import { builtInPlaces } from './history/index.ts'
import { budgetLimits, type Listener, listen } from './http/index.ts'
import { createServer } from './server.ts'
import { type ReadableStore, StoreLost, StoreUnavailable } from './store/index.ts'
import { openReadable, openStore, type StoreChoice } from './store/open.ts'
import { createWebhookClient, parseServiceMappings, type ServiceResolver } from './webhooks/index.ts'

/** Opens a store to look at it: nothing is made, written or compacted. */
export async function openHistory(
  choice: Exclude<StoreChoice, { readonly kind: 'memory' }>,
  world: World,
  signal: AbortSignal,
  flags: EncryptionFlags = {},
): Promise<ReadableStore> {
  const encrypted = await openEncryption(flags, { world }, signal)
  const store = await openReadable(choice, world, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    throw explainStore(choice, error)
  })
  return encrypted
    ? decryptStore(store, encrypted.encryption, { known: builtInPlaces, world, signal })
    : store
}

export {
  authorizationModes,
  ConfigurationProblem,
  decodableKinds,
  ensureCredentials,
  type FeatureGates,
  loadResources,
  makeDirectory,
  ownRelease,
  parseFeatureGates,
  writeKubeconfig,
}

export interface ServeOptions extends ServiceAccountFlags, AuditFlags, EncryptionFlags {
  readonly store: StoreChoice
  readonly bindAddress: string
  readonly securePort: number
  /** Holds the authority, the serving certificate, the tokens; made on the first start. */
  readonly certDir: string
  readonly tokenAuthFile?: string | undefined
  readonly authorizationModes?: readonly AuthorizationMode[]
  /** Signs certificates of clients; the fleet's own authority by default. */
  readonly clientCaFile?: string | undefined
  /** How many requests may be under way at once, watches apart; 0 is no limit. */
  readonly maxRequestsInflight?: number
  readonly maxMutatingRequestsInflight?: number
  readonly kubeconfig?: string | undefined
  /** Distinguishes servers on one host; the port by default. */
  readonly instance?: string | undefined
  readonly release?: string | undefined
  /** Modules that export `resources`. */
  readonly resourceModules: readonly string[]
  readonly expectedServers?: number
  /** For `--storage-version-coordination` and `--storage-version-guarantee`; report and strict by default. */
  readonly form?: CoordinationOptions['form']
  readonly guarantee?: CoordinationOptions['guarantee']
  readonly leaseDurationSeconds?: number
  readonly renewIntervalSeconds?: number
  readonly shutdownDelayMs?: number
  readonly drainMs?: number
  readonly compactionMs?: number
  /** How long events are kept; 0 keeps them for ever. */
  readonly eventTtlMs?: number
  readonly featureGates?: FeatureGates
  /** Which groups, versions and resources of the program are served; all unless told otherwise. */
  readonly runtimeConfig?: string
  /** Resources that are served even if this release cannot read all that is stored of them. */
  readonly allowUndecodableStorage?: readonly string[]
  /** Puts down with each write which server process made it: for audits of the history. */
  readonly traceWriters?: boolean
  /**
   * Whether this server takes part in collecting expired identity Leases and the entries of their servers; one server of the
   * fleet does at a time. True unless told otherwise; never where the gates of agreement are off.
   */
  readonly collectsExpiredServers?: boolean
  /** Where the services are that webhooks stand behind: `namespace/name=https://host:port` (docs/webhooks.md). */
  readonly webhookServices?: readonly string[]
  /** For tests that show what a missing rule costs. */
  readonly rules?: ProtocolRules
}

/** How a server ended. */
export type ServeEnd =
  | { readonly end: 'stopped' }
  /** It may not go on: its identity belongs to another process. */
  | { readonly end: 'refused'; readonly why: string }

/**
 * One API server instance, from flags to the last farewell. This is where the outside enters: the real store,
 * real sockets, real files. It runs until the signal is aborted.
 */
export async function serve(
  options: ServeOptions,
  world: World,
  signal: AbortSignal,
  onReady: (info: { readonly url: string }) => void = () => {},
): Promise<ServeEnd> {
  checkLeaseTiming(options)
  checkParticipation(options)
  const resolveService = serviceResolver(options)
  const resources = await loadResources(options.resourceModules, options.release)
  checkRuntimeConfig(options.runtimeConfig, resources)
  const encrypted = await openEncryption(options, { world, resources }, signal)
  const credentials = await ensureCredentials(options.certDir, world)
  const clientCa = await readAuthorities('--client-ca-file', options.clientCaFile ?? credentials.caFile)
  const tokens = await TokenFile.open(options.tokenAuthFile ?? credentials.tokenFile, world)
  const { lookup } = tokens
  const admin =
    options.kubeconfig === undefined
      ? undefined
      : await loadKubeconfigCredential(credentials, { ...options, clientCa, lookup })
  const loopback = createLoopback(world, tokens.lookup)
  const serviceAccountTokens = await loadServiceAccountTokens(options, options.certDir, world)
  warnAboutKeys(options, world)
  warnAboutRecording(options, world)
  const audit = await openAudit(options, world, process.stdout)
  if (options.store.kind === 'sqlite') await makeDirectory(options.store.directory, '--data-dir')
  const outbound = createNodeOutbound()
  const background = new AbortController()
  const store = await openStore(
    options.store,
    world,
    options.compactionMs ?? serveDefaults.compactionMs,
    background.signal,
  ).catch((error: unknown) => {
    throw explainStore(options.store, error)
  })
  try {
    const instance = options.instance ?? String(options.securePort)
    const server = createServer({
      world,
      store,
      resources,
      ...(options.release === undefined ? {} : { release: options.release }),
      tokens: loopback.tokens,
      serviceAccountTokens,
      ...(options.authorizationModes ? { authorizationModes: options.authorizationModes } : {}),
      ...(audit ? { audit } : {}),
      ...encryptionOf(encrypted),
      webhooks: createWebhookClient({ clock: world.clock, outbound: outbound.send, resolveService }),
      ...(options.eventTtlMs === undefined ? {} : { eventTtlMs: options.eventTtlMs }),
      ...(options.featureGates ? { featureGates: options.featureGates } : {}),
      agreementEvents: true,
      ...(options.runtimeConfig === undefined ? {} : { runtimeConfig: options.runtimeConfig }),
      ...(options.traceWriters ? { traceWriters: true } : {}),
      allowUndecodableStorage: options.allowUndecodableStorage ?? [],
      inFlight: {
        readOnly: options.maxRequestsInflight ?? inFlightDefaults.readOnly,
        mutating: options.maxMutatingRequestsInflight ?? inFlightDefaults.mutating,
      },
      coordination: {
        ...coordinationDefaults,
        serverID: serverId(world.processes.hostname, instance),
        instance,
        expectedServers: options.expectedServers ?? coordinationDefaults.expectedServers,
        form: options.form ?? coordinationDefaults.form,
        guarantee: options.guarantee ?? coordinationDefaults.guarantee,
        leaseDurationSeconds: options.leaseDurationSeconds ?? coordinationDefaults.leaseDurationSeconds,
        renewIntervalSeconds: options.renewIntervalSeconds ?? coordinationDefaults.renewIntervalSeconds,
        ...(options.rules ? { rules: options.rules } : {}),
      },
    })
    const { signal: running } = background
    const take: StrataServer['reloadEncryption'] = (...asked) => server.reloadEncryption(...asked)
    void encrypted?.watch?.run(take, running)
    void tokens.run(running)
    const parts = { options, world, credentials, clientCa, admin, loopback, onReady }
    return await runServer(server, parts, signal)
  } finally {
    background.abort(new Error('stopped'))
    outbound.close()
    await store.close()
    // The last requests are in it.
    await audit?.sink.close()
  }
}

function encryptionOf(opened: OpenedEncryption | undefined) {
  if (!opened) return {}
  const { encryption, watch } = opened
  return { encryption, ...(watch ? { encryptionNews: () => watch.news } : {}) }
}

interface Running {
  readonly options: ServeOptions
  readonly world: World
  readonly credentials: FleetCredentials
  /** Signs certificates of clients. */
  readonly clientCa: string
  /** For `--kubeconfig-out`, if it is given. */
  readonly admin: AdminCredential | undefined
  readonly loopback: Loopback
  readonly onReady: (info: { readonly url: string }) => void
}

/** From the open socket to the last farewell. */
async function runServer(
  server: StrataServer,
  { options, world, credentials, clientCa, admin, loopback, onReady }: Running,
  signal: AbortSignal,
): Promise<ServeEnd> {
  const ended = Promise.withResolvers<ServeEnd>()
  server.coordinator.onFatal = (why) => ended.resolve({ end: 'refused', why })
  const { bindAddress, securePort } = options
  const listener: Listener = await listen({
    handle: server.handle,
    host: bindAddress,
    port: securePort,
    tls: { ...credentials.tls, clientCa },
    clock: world.clock,
    log: world.log,
    // Where anonymous clients may do everything, their requests are not a burden but the purpose.
    budget: options.authorizationModes?.includes('AlwaysAllow')
      ? { ...budgetLimits, requestUnits: 0 }
      : budgetLimits,
  }).catch((error: unknown) => {
    throw explainListen(options, error)
  })
  const url = `https://${bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress}:${listener.port}`
  world.log.info('listening', { url, serverID: server.coordinator.identity.serverID })
  const starting = server.start(signal).then(async () => {
    if (options.kubeconfig !== undefined && admin !== undefined) {
      // By the server: kubeconfigs of several are merged, and contexts of one name would hide each other.
      const servers = [{ name: options.instance ?? `strata-${listener.port}`, url }]
      const { caFile } = credentials
      await writeKubeconfig({ path: options.kubeconfig, servers, caFile, token: admin })
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
  // Also while this server is not ready: what it waits for may be an entry of a server that is dead.
  const collectors = collects(options)
    ? runCollectors(server, loopback, world, collecting.signal)
    : Promise.resolve()
  signal.addEventListener('abort', () => ended.resolve({ end: 'stopped' }), { once: true })
  if (signal.aborted) ended.resolve({ end: 'stopped' })

  const end = await ended.promise
  // It gives its Lease back while this server still answers, so that the next one need not wait.
  collecting.abort(new Error('the server is shutting down'))
  await collectors
  // Unready first; a load balancer gets this long to see it, while requests are still served.
  if (end.end === 'stopped') {
    server.drain()
    await sleep(world.clock, options.shutdownDelayMs ?? serveDefaults.shutdownDelayMs)
  }
  const leftClean = await server.stop(options.drainMs ?? 60_000)
  // Watches have ended and writes are done; what is left are answers on their way to slow readers.
  const cut = deadline(world.clock, 5_000)
  await listener.close(cut.signal)
  cut.dispose()
  if (end.end === 'stopped') world.log.info(farewell(leftClean, server.coordinator.recordsWrites))
  return end
}

/** Before anything is made or opened, and for `strata up` once instead of once for each server. */
export function checkRuntimeConfig(text = '', resources: readonly ResourceDefinition[] = []): void {
  const read = parseRuntimeConfig(text, knownApis(resources))
  if ('problem' in read) throw new ConfigurationProblem(`--runtime-config: ${read.problem}`)
}

/** Rule 14: nobody is taken out by the collector while it may write unguarded. */
const looseLeaseSeconds = 60

/** A server that renews too seldom is expelled while it lives, again and again. */
function checkLeaseTiming({ leaseDurationSeconds, renewIntervalSeconds, guarantee }: ServeOptions): void {
  const duration = leaseDurationSeconds ?? coordinationDefaults.leaseDurationSeconds
  const renew = renewIntervalSeconds ?? coordinationDefaults.renewIntervalSeconds
  if (guarantee === 'loose' && duration < looseLeaseSeconds) {
    throw new ConfigurationProblem(
      `--storage-version-guarantee loose: needs --identity-lease-duration-seconds of at least ${looseLeaseSeconds} (not ${duration}): for so long a server may write by what it knows`,
    )
  }
  if (renew > 0 && duration >= 3 * renew) return
  throw new ConfigurationProblem(
    `--identity-lease-renew-interval-seconds ${renew}: must be at least 1, and at most a third of --identity-lease-duration-seconds (${duration})`,
  )
}

/** Without the gates there are no Leases of servers, or no records, that this server could look at. */
function collects({
  featureGates = defaultFeatureGates,
  collectsExpiredServers = true,
}: ServeOptions): boolean {
  return collectsExpiredServers && featureGates.StorageVersionAPI && featureGates.APIServerIdentity
}

/** A server that records nothing has no voice, and no entry that could say how its writes are guarded. */
function checkParticipation({ featureGates = defaultFeatureGates, form, guarantee }: ServeOptions): void {
  if (featureGates.StorageVersionAPI) return
  const why = 'needs the feature gate StorageVersionAPI, which --feature-gates has switched off'
  if (form === 'vote') throw new ConfigurationProblem(`--storage-version-coordination vote: ${why}`)
  if (guarantee === 'loose') throw new ConfigurationProblem(`--storage-version-guarantee loose: ${why}`)
}

function serviceResolver({ webhookServices = [] }: ServeOptions): ServiceResolver {
  const resolver = parseServiceMappings(webhookServices)
  if ('problem' in resolver) throw new ConfigurationProblem(`--webhook-service: ${resolver.problem}`)
  return resolver
}

function warnAboutRecording({ featureGates = defaultFeatureGates }: ServeOptions, { log }: World): void {
  if (featureGates.StorageVersionAPI) return
  log.warn(
    'StorageVersionAPI=false: what this server writes is not recorded; while it runs nothing is agreed, and objects that it has written have to be migrated again',
  )
}

function farewell(leftClean: boolean, recordsWrites: boolean): string {
  if (!leftClean) return 'stopped'
  return recordsWrites ? 'took back its entries; stopped' : 'stopped; it had no entries to take back'
}

/** Servers over one directory share its key. Servers on several machines do not, unless they are given one. */
function warnAboutKeys({ store, serviceAccountSigningKeyFile }: ServeOptions, { log }: World): void {
  if (store.kind !== 'etcd' || serviceAccountSigningKeyFile !== undefined) return
  log.warn(
    'tokens of service accounts are signed with a key of this directory; servers on other machines refuse them unless all are given the same --service-account-signing-key-file',
  )
}

function explainListen({ bindAddress, securePort }: ServeOptions, error: unknown): unknown {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return new ConfigurationProblem(
        `--secure-port ${securePort}: another process listens there; choose another port`,
        { mayPass: true },
      )
    case 'EACCES':
      return new ConfigurationProblem(
        `--secure-port ${securePort}: this user may not listen there; choose a port above 1023`,
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new ConfigurationProblem(
        `--bind-address ${bindAddress}: is no address of this machine; 127.0.0.1 and 0.0.0.0 always are`,
      )
    default:
      return error
  }
}

/** A store that cannot be opened at the start is most often a wrong address or a directory of something else. */
function explainStore(store: StoreChoice, error: unknown): unknown {
  if (error instanceof ConfigurationProblem) return error
  const why = error instanceof Error ? error.message : String(error)
  if (store.kind === 'etcd' && error instanceof StoreUnavailable) {
    return new ConfigurationProblem(`--etcd-servers ${store.endpoints.join(',')}: ${why}; is etcd running?`, {
      cause: error,
      mayPass: true,
    })
  }
  if (store.kind === 'sqlite') {
    const mayPass = !(error instanceof StoreLost)
    return new ConfigurationProblem(`--data-dir: ${why}`, { cause: error, mayPass })
  }
  return error
}

/** Where things are kept below one directory. */
export function pathsBelow(dataDir: string): { certDir: string; storeDir: string; kubeconfig: string } {
  return {
    certDir: join(dataDir, 'pki'),
    storeDir: join(dataDir, 'store'),
    kubeconfig: join(dataDir, 'admin.kubeconfig'),
  }
}
