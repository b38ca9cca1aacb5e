import { groupResourceText, internalError, type Namespace, type ResourceDefinition } from '@strata/api'
import {
  abortable,
  deadline,
  type HttpRequest,
  type HttpResponse,
  jitter,
  sleep,
  type World,
} from '@strata/world'
import { type AuthorizationMode, createAccessControl } from './access-control.ts'
import { Admission } from './admission/index.ts'
import { ApiServices } from './api-services/index.ts'
import {
  type Authenticator,
  createAccountTokens,
  createAuthenticator,
  openidDocuments,
  type ServiceAccountTokenOptions,
  type TokenLookup,
} from './authentication/index.ts'
import { ensurePolicy } from './bootstrap-policy/index.ts'
import { builtInResources, gatedOff } from './built-in-resources.ts'
import { placedResource, resourcePrefix, storageRoot } from './codec/index.ts'
import { ConfigurationProblem } from './configuration-problem.ts'
import { createCoordinatedDiscovery } from './coordinated-discovery.ts'
import {
  type CoordinationOptions,
  Coordinator,
  type ProtocolRules,
  protocolRules,
  settlePersisted,
} from './coordination/index.ts'
import { type ConversionFunction, CustomResources, DefinitionLifecycle } from './custom-resources/index.ts'
import { createBuiltInHash, type LegacyOptions } from './discovery/index.ts'
import type { Encryption, EncryptionConfiguration, ReloadNews } from './encryption/index.ts'
import { addEncryptionMetrics, encryptionChecks } from './encryption-news.ts'
import { defaultFeatureGates, type FeatureGates, findGateProblem } from './feature-gates.ts'
import {
  type AuditOptions,
  audit,
  auditActor,
  auditAllowed,
  auditId,
  authentication,
  authorization,
  beginAudit,
  caughtUp,
  chain,
  type InFlightLimits,
  impersonation,
  maxInFlight,
  measure,
  OpenWatches,
  requestDeadline,
  servedElsewhere,
  undecodable,
  warnings,
  writeGate,
} from './filters/index.ts'
import {
  decodeObject,
  metricsPath,
  otherPaths,
  type Reviewers,
  routeResources,
  selfSubjectReview,
  servedVerbs,
  storageCensus,
  storageReencode,
  tokenReview,
  upgradeReview,
  YamlReader,
} from './handlers/index.ts'
import { healthChecks } from './health-checks.ts'
import { writerMark } from './history/index.ts'
import { answerErrors, answerRequests, toApiError } from './http/index.ts'
import { knownApis } from './known-apis.ts'
import { Metrics } from './metrics/index.ts'
import { AgreementNews } from './news/index.ts'
import {
  AgreedServing,
  catchUp,
  create,
  createServedApi,
  equivalentResources,
  expireEvents,
  namespaceLabels,
  type Registry,
  type ServedApi,
  systemWrite,
} from './registry/index.ts'
import { encryptStore, reloadEncryption } from './reload-encryption.ts'
import { type IsServed, parseRuntimeConfig } from './runtime-config.ts'
import { addAuditCounters, addGauges } from './server-gauges.ts'
import { softwareRelease } from './software-release.ts'
import type { Store } from './store/index.ts'
import { StoreHealth } from './store-health.ts'
import { UndecodableStorage } from './upgrade/index.ts'
import { WatchCache } from './watch-cache/index.ts'
import { createWebhookClient, type WebhookClient } from './webhooks/index.ts'

const systemNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'] as const

/** As upstream's `--event-ttl`. */
const defaultEventTtlMs = 3_600_000

export interface ServerOptions {
  readonly world: World
  readonly store: Store
  /** Besides the built-in ones. */
  readonly resources?: readonly ResourceDefinition[]
  /** Of the built-in ones, those which the server has; all unless told otherwise. */
  readonly builtInResources?: readonly ResourceDefinition[]
  /** Which release of the kinds to play; undefined is the newest. */
  readonly release?: string
  readonly tokens: TokenLookup
  /** The same in every server of a fleet. Without it, tokens that this server signs are known to itself only. */
  readonly serviceAccountTokens?: ServiceAccountTokenOptions
  /** Who says what is allowed, besides the superusers, who may do everything; roles by default. */
  readonly authorizationModes?: readonly AuthorizationMode[]
  /** Whether to see to the default roles and bindings; true unless told otherwise. */
  readonly bootstrapPolicy?: boolean
  /** Whether to keep an APIService for every version that is served; true unless told otherwise. */
  readonly apiServices?: boolean
  readonly coordination: CoordinationOptions
  /** Which requests are written down, how much of them, and where. */
  readonly audit?: Omit<AuditOptions, 'toApiError'>
  /** Asks webhooks. Without it there is no way out of this server. */
  readonly webhooks?: WebhookClient
  /**
   * Functions that convert instances of custom resources between their versions, by the name of the definition: for
   * programs that embed the server, and instead of a webhook.
   */
  readonly conversions?: Readonly<Record<string, ConversionFunction>>
  /** How long events are kept; 0 keeps them for ever. */
  readonly eventTtlMs?: number
  /** How many requests may be under way at once. */
  readonly inFlight?: InFlightLimits
  readonly featureGates?: FeatureGates
  /** Whether to tell of changes of agreement as Events; not unless told to. */
  readonly agreementEvents?: boolean
  /** Which groups, versions and resources of the program are served; all unless told otherwise. */
  readonly runtimeConfig?: string
  /** Resources that are served even if this release cannot read all that is stored of them. */
  readonly allowUndecodableStorage?: readonly string[]
  /** Puts down with each write which server process made it: for audits of the history. */
  readonly traceWriters?: boolean
  /** With what is encrypted what is stored; nothing is unless told otherwise. */
  readonly encryption?: Encryption
  /** What became of the file that says so, where it may change while the server runs. */
  readonly encryptionNews?: () => ReloadNews
}

export interface StrataServer {
  /** Request in, answer out; no socket needed. */
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>
  readonly coordinator: Coordinator
  readonly cache: WatchCache
  readonly ready: boolean
  /** Puts another configuration of encryption in force, or says why it may not be (agreement.md, rule 17). */
  reloadEncryption(configuration: EncryptionConfiguration, signal: AbortSignal): Promise<string | undefined>
  /** Resolves when the server is ready to be written through. */
  start(signal: AbortSignal): Promise<void>
  /** Unready from now on, though requests are still served: load balancers look away. */
  drain(): void
  /** Unready, no new writes, writes in flight finish, entries go, the Lease goes (agreement.md, rule 7).
   *  True if all of that happened in time. */
  stop(drainMs: number): Promise<boolean>
}

/** Assembles the parts into one function. The folders below are in the order in which a request meets them. */
export function createServer(options: ServerOptions): StrataServer {
  const { world, encryption } = options
  const featureGates = checkGates(options.featureGates ?? defaultFeatureGates)
  const coordination: CoordinationOptions = {
    release: options.release ?? softwareRelease,
    ...options.coordination,
    recordsWrites: featureGates.StorageVersionAPI,
    hasIdentity: featureGates.APIServerIdentity,
    ...(encryption ? { keys: encryption.serverKeys } : {}),
  }
  const rules: ProtocolRules = coordination.rules ?? protocolRules
  const builtIn = (options.builtInResources ?? builtInResources).filter(
    (each) => !gatedOff(each, featureGates),
  )
  const definitions = [...builtIn, ...(options.resources ?? [])]
  const api = createServedApi(definitions, options.release, isServedBy(options))
  const running = new AbortController()
  // Whoever encrypts nothing has nothing in between.
  const store = encryption
    ? encryptStore(options.store, encryption, {
        known: api.codecs.map(({ definition }) => placedResource(definition)),
        world,
        signal: running.signal,
      })
    : options.store
  const cache = new WatchCache({
    store,
    world,
    root: storageRoot,
    prefixes: api.codecs.map(({ definition }) => resourcePrefix(definition)),
    tick: (signal) => tick(store, coordination.serverID, signal),
  })
  const metrics = new Metrics(world.clock.wallMs())
  const news = new AgreementNews(world, metrics.agreement, rules)
  const coordinator = new Coordinator({
    ...{ store, world, cache, codecs: api.codecs },
    coordination: { ...coordination, rules: news.rules, witness: news.tracker },
  })
  encryption?.onChange(() => coordinator.keysChanged())
  const gate = news.follow(cache, coordinator, api.codecs)
  const access = createAccessControl(options.authorizationModes ?? ['RBAC'], { cache, api, world })
  const { authorizer, checkWrite } = access
  const webhooks = options.webhooks ?? createWebhookClient({ clock: world.clock })
  const admission = new Admission({
    client: webhooks,
    random: world.random,
    log: world.log,
    clock: world.clock,
    observe: (outcome) => metrics.admission.observe(outcome),
    equivalentsOf: equivalentResources(api),
    namespaceLabels: (namespace, signal) => namespaceLabels({ api, cache, store }, namespace, signal),
    decode: (object, resource) => decodeObject(object, resource, () => {}, internalError),
  })
  admission.follow(cache, api.codecs)
  const recordsWrites = featureGates.StorageVersionAPI
  const writer = { serverID: coordination.serverID, process: coordinator.identity.process }
  const registry: Registry = {
    ...{ api, store, cache, gate, world, rules, checkWrite, admission, recordsWrites },
    ...(options.traceWriters ? { markWriter: (...keys) => writerMark(writer, ...keys) } : {}),
  }

  const accountTokens = createAccountTokens(options.serviceAccountTokens, {
    world,
    cache,
    codecs: api.codecs,
  })
  const agreed = featureGates.AgreedServing ? new AgreedServing(api, cache, world.log) : undefined
  const custom = new CustomResources({
    ...{ cache, api, coordinator, log: world.log, reserved: builtInResources },
    converters: {
      webhooks,
      random: world.random,
      clock: world.clock,
      functions: options.conversions ?? {},
    },
  })
  const lifecycle = new DefinitionLifecycle(registry, custom)
  const apiServices = new ApiServices(registry)
  custom.onChange = (key) => {
    lifecycle.mark(key)
    apiServices.look()
  }
  const authenticator = createAuthenticator(options.tokens, accountTokens)
  const documents: LegacyOptions = {
    storageVersionHashes: featureGates.StorageVersionHash,
    encodingVersionOf: ({ definition: { group, plural }, codec }) =>
      coordinator.encodingVersionOf({ group, resource: plural }) ?? codec.preferredVersion,
  }
  const coordinated = featureGates.EnableCoordinatedDiscoveryDocument
    ? createCoordinatedDiscovery({
        ...{ store, world, cache, coordinator, rules, expectedServers: coordination.expectedServers },
        builtInHash: createBuiltInHash(api, servedVerbs, documents),
      })
    : undefined
  coordinator.fence.onEncodingVersion(() => coordinated?.look())
  if (agreed) {
    agreed.onChange = () => {
      coordinated?.look()
      apiServices.lookAtAll()
    }
  }

  const release = options.release ?? softwareRelease
  const storage = new UndecodableStorage({
    ...{ cache, codecs: api.codecs, release, log: world.log },
    allowed: checkAllowed(options.allowUndecodableStorage ?? [], api),
  })
  const instancesOf = custom.instancesOfResource.bind(custom)
  const atTheData: Reviewers = {
    'storagecensuses.strata.dev': storageCensus(authorizer, {
      ...{ api, store, instancesOf, rules, clock: world.clock },
      catchUp: async (signal) => {
        await catchUp(registry, signal)
      },
      settle: async (resource, proof, signal) => {
        // What was counted is true whatever becomes of this; the next census brings it again.
        await settlePersisted(coordinator.records, resource, proof, signal).catch((error: unknown) => {
          world.log.warn('a proof could not be put down', { ...resource, error: String(error) })
        })
      },
    }),
    'storagereencodes.strata.dev': storageReencode(authorizer, {
      ...{ registry, instancesOf },
      decode: (object, resource) => decodeObject(object, resource, () => {}, internalError),
    }),
    'upgradereviews.strata.dev': upgradeReview(registry, definitions, softwareRelease),
  }

  let stopping = false
  let namespacesReady = false
  let policyReady = options.bootstrapPolicy === false
  let versionsReady = options.apiServices === false
  const storeHealth = new StoreHealth(store, world.clock)
  const checks = healthChecks(storeHealth, coordinator, {
    'poststarthook/start-system-namespaces-controller': () =>
      namespacesReady ? undefined : 'system namespaces are missing',
    'poststarthook/rbac/bootstrap-roles': () => (policyReady ? undefined : 'default roles are missing'),
    'autoregister-completion': () => (versionsReady ? undefined : 'APIServices are missing'),
    'storage-decodable': () => storage.problem,
    'informer-sync': () => (cache.synced ? undefined : 'the watch cache has not been filled'),
    shutdown: () => (stopping ? 'the server is shutting down' : undefined),
  }).concat(encryptionChecks(encryption, options.encryptionNews))

  const crowd = maxInFlight(options.inFlight)
  const watches = new OpenWatches()
  const yaml = new YamlReader(world.clock)
  addGauges(metrics, crowd.inFlight, checks)
  if (options.encryptionNews) addEncryptionMetrics(metrics, coordination.serverID, options.encryptionNews)
  if (options.audit) addAuditCounters(metrics, options.audit.sink)

  // Without a policy there is nothing to write down, and nothing in the way.
  const recorded = options.audit && { ...options.audit, toApiError }

  // The way of a request, top to bottom, in upstream's order.
  const handler = chain(
    [
      auditId(world),
      warnings(),
      measure(world, metrics.requests, api),
      (context, next) => answerErrors(next, world)(context),
      watches.filter,
      requestDeadline(world),
      caughtUp(cache, world),
      ...(recorded ? [beginAudit(recorded, world)] : []),
      authentication(authenticator),
      ...(recorded ? [audit(recorded)] : []),
      impersonation(authorizer),
      ...(recorded ? [auditActor] : []),
      crowd.filter,
      authorization(authorizer),
      ...(recorded ? [auditAllowed] : []),
      servedElsewhere(api),
      undecodable(storage, api),
      writeGate(gate, api),
    ],
    routeResources(
      registry,
      coordinator.records,
      {
        reviewers: { ...access.reviewers, ...reviewersOf(world, authenticator), ...atTheData },
        tokens: accountTokens,
      },
      otherPaths(api, checks, world.clock, {
        discovery: documents,
        catchUp: (signal) => catchUp(registry, signal),
        ...(coordinated ? { isConsistent: coordinated.isConsistent } : {}),
        ...(agreed ? { whyWithheld: agreed.whyWithheld } : {}),
        more: { '/metrics': metricsPath(metrics), ...openidDocuments(accountTokens.options) },
      }),
    ),
  )

  const seeToPolicy = async (signal: AbortSignal): Promise<void> => {
    if (policyReady) return
    await abortable(ensurePolicy(registry, running.signal), signal)
    policyReady = true
  }
  const seeToVersions = async (signal: AbortSignal): Promise<void> => {
    if (versionsReady) return
    await abortable(apiServices.register(running.signal), signal)
    versionsReady = true
    void apiServices.run(running.signal)
  }

  return {
    handle: answerRequests(handler, world, yaml),
    coordinator,
    cache,
    get ready() {
      return !stopping && checks.every(({ isAside, check }) => isAside === true || check() === undefined)
    },
    reloadEncryption: async (configuration, signal) =>
      encryption
        ? reloadEncryption(encryption, store, configuration, signal)
        : 'this server was started without --encryption-provider-config',
    start: async (signal) => {
      const synced = Promise.withResolvers<void>()
      if (options.agreementEvents) news.announce(registry, coordination.serverID, running.signal)
      encryption?.run(running.signal)
      void cache.run(running.signal, synced.resolve)
      await abortable(synced.promise, signal)
      storage.look()
      coordinated?.start()
      await Promise.all([
        coordinator.start(signal),
        ensureNamespaces(registry, signal).then(() => {
          namespacesReady = true
        }),
      ])
      const { eventTtlMs = defaultEventTtlMs } = options
      void lifecycle.run(running.signal)
      if (eventTtlMs > 0) void expireEvents(registry, eventTtlMs, running.signal)
      await Promise.all([seeToPolicy(signal), seeToVersions(signal)])
      await coordinator.writable(signal)
      world.log.info('ready', { serverID: coordination.serverID, release: options.release ?? 'newest' })
    },
    drain: () => {
      stopping = true
    },
    stop: async (drainMs) => {
      stopping = true
      watches.endAll(new Error('the server is shutting down'))
      await coordinated?.stop()
      const leftClean = await coordinator.leave(drainMs)
      running.abort(new Error('stopped'))
      yaml.close()
      return leftClean
    },
  }
}

function checkGates(gates: FeatureGates): FeatureGates {
  const problem = findGateProblem(gates)
  if (problem !== undefined) throw new ConfigurationProblem(`--feature-gates: ${problem}`)
  return gates
}

function checkAllowed(allowed: readonly string[], { codecs }: ServedApi): readonly string[] {
  const known = new Set(codecs.map(({ definition }) => groupResourceText(definition)))
  const unknown = allowed.find((each) => !known.has(each))
  if (unknown !== undefined) {
    throw new ConfigurationProblem(
      `--allow-undecodable-storage: this server has no resource ${JSON.stringify(unknown)}; name it as beacons.lighthouse.example.dev, or configmaps for the core group`,
    )
  }
  return allowed
}

function isServedBy({ runtimeConfig = '', resources = [] }: ServerOptions): IsServed {
  const read = parseRuntimeConfig(runtimeConfig, knownApis(resources))
  if ('problem' in read) throw new ConfigurationProblem(`--runtime-config: ${read.problem}`)
  return read.isServed
}

/** Who answers which question. */
function reviewersOf({ clock }: World, authenticator: Authenticator): Reviewers {
  return {
    'selfsubjectreviews.authentication.k8s.io': selfSubjectReview(clock),
    'tokenreviews.authentication.k8s.io': tokenReview(async (token, audiences, signal) => {
      const verdict = await authenticator.review(token, signal, audiences)
      if (verdict === 'foreign') return { error: 'invalid bearer token' }
      return 'refused' in verdict ? { error: `[invalid bearer token, ${verdict.refused}]` } : verdict
    }),
  }
}

/** Something harmless that makes the one watch move (rule 6). */
async function tick(store: Store, serverID: string, signal: AbortSignal): Promise<void> {
  const key = `${storageRoot}strata.dev/ticks/${serverID}`
  await store.commit({ writes: [{ kind: 'put', key, value: Buffer.from('{}') }], guards: [] }, signal)
}

async function ensureNamespaces(registry: Registry, signal: AbortSignal): Promise<void> {
  const resource = registry.api.own('', 'v1', 'namespaces')
  for (const name of systemNamespaces) {
    while (resource) {
      const namespace: Namespace = { metadata: { name, labels: { 'kubernetes.io/metadata.name': name } } }
      const limit = deadline(registry.world.clock, 10_000, signal)
      try {
        await create(registry, resource, '', namespace, systemWrite, limit.signal)
        break
      } catch (error) {
        if (signal.aborted) throw error
        if ((error as { reason?: string }).reason === 'AlreadyExists') break
        registry.world.log.warn('could not create a system namespace yet', { name, error: String(error) })
        await sleep(registry.world.clock, jitter(registry.world.random, 500, 0.5), signal)
      } finally {
        limit.dispose()
      }
    }
  }
}
