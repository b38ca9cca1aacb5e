import { internalError } from '@strata/api'
import { abortable } from '@strata/world'
import { Admission } from './admission/index.ts'
import { ApiServices } from './api-services/index.ts'
import { createAccessControl } from './assembly/access-control.ts'
import { checkAllowed, checkGates, isServedBy } from './assembly/check-options.ts'
import { createCoordinatedDiscovery } from './assembly/coordinated-discovery.ts'
import { encryptStore, reloadEncryption } from './assembly/reload-encryption.ts'
import { createReviewers } from './assembly/reviewers.ts'
import type { ServerOptions, StrataServer } from './assembly/server-options.ts'
import { incarnationKey, StoreRecovery } from './assembly/store-recovery.ts'
import { ensureNamespaces } from './assembly/system-namespaces.ts'
import { createAccountTokens, createAuthenticator, openidDocuments } from './authentication/index.ts'
import { ensurePolicy } from './bootstrap-policy/index.ts'
import { placedResource, resourcePrefix, storageRoot } from './codec/index.ts'
import {
  builtInResources,
  defaultFeatureGates,
  gatedOff,
  serveDefaults,
  softwareRelease,
} from './configuration/index.ts'
import {
  type CoordinationOptions,
  Coordinator,
  identityLeaseKey,
  type ProtocolRules,
  protocolRules,
} from './coordination/index.ts'
import { CustomResources, DefinitionLifecycle } from './custom-resources/index.ts'
import { createBuiltInHash, type LegacyOptions } from './discovery/index.ts'
import {
  audit,
  auditActor,
  auditAllowed,
  auditId,
  authentication,
  authorization,
  beginAudit,
  caughtUp,
  chain,
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
  type HealthCheck,
  metricsPath,
  otherPaths,
  routeResources,
  servedVerbs,
  YamlReader,
} from './handlers/index.ts'
import { addEncryptionMetrics, encryptionChecks } from './health/encryption-health.ts'
import { healthChecks } from './health/health-checks.ts'
import {
  addAuditCounters,
  addGauges,
  addReplacementCounter,
  addWriteMetrics,
} from './health/server-gauges.ts'
import { StoreHealth } from './health/store-health.ts'
import { WriteHealth } from './health/write-health.ts'
import { writerMark } from './history/index.ts'
import { answerErrors, answerRequests, toApiError } from './http/index.ts'
import { Metrics } from './metrics/index.ts'
import { AgreementNews, announceRecoveredWrites } from './news/index.ts'
import {
  AgreedServing,
  catchUp,
  createServedApi,
  equivalentResources,
  expireEvents,
  namespaceLabels,
  type Registry,
  WithheldLog,
} from './registry/index.ts'
import { type Store, TimelineStore } from './store/index.ts'
import { UndecodableStorage } from './upgrade/index.ts'
import { WatchCache } from './watch-cache/index.ts'
import { createWebhookClient } from './webhooks/index.ts'

/** As often as servers with an identity renew their Leases, by default. */
const incarnationLookMs = 10_000

/** Assembles the parts into one function. The folders below are in the order in which a request meets them. */
export function createServer(options: ServerOptions): StrataServer {
  const { world, encryption } = options
  const featureGates = checkGates(options.featureGates ?? defaultFeatureGates)
  const release = options.release ?? softwareRelease
  const coordination: CoordinationOptions = {
    release,
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
  const writes = new WriteHealth(world)
  const tickKey = `${storageRoot}strata.dev/ticks/${coordination.serverID}`
  const timeline: TimelineStore = new TimelineStore(writes.observe(options.store), {
    incarnationKey,
    ownKey: identityLeaseKey(coordination.serverID),
    nowMs: () => world.clock.monotonicMs(),
    onReplaced: (replacement) => recovery.begin(replacement, running.signal),
  })
  const recovery: StoreRecovery = new StoreRecovery({
    ...{ world, timeline, tickKey },
    stop: (error) => {
      coordinator.suspend(error.message)
      cache.storeReplaced(error)
    },
    mark: (gap, signal) => coordinator.noteGap(gap, signal),
    rejoin: async (gap, signal) => {
      await cache.whenSynced(signal)
      await coordinator.rejoin(gap, signal)
      await seeToObjects(signal)
    },
  })
  // Whoever encrypts nothing has nothing in between.
  const store = encryption
    ? encryptStore(timeline, encryption, {
        known: api.codecs.map(({ definition }) => placedResource(definition)),
        world,
        signal: running.signal,
      })
    : timeline
  const cache: WatchCache = new WatchCache({
    store,
    world,
    root: storageRoot,
    prefixes: api.codecs.map(({ definition }) => resourcePrefix(definition)),
    tick: (signal) => tick(store, tickKey, signal),
    mayLoad: () => recovery.readable,
  })
  const metrics = new Metrics(world.clock.wallMs())
  const news = new AgreementNews(world, metrics.agreement, rules)
  const storage: UndecodableStorage = new UndecodableStorage({
    ...{ cache, codecs: api.codecs, release, log: world.log },
    allowed: checkAllowed(options.allowUndecodableStorage ?? [], api),
    onServed: () => void coordinator.leaseChanged(),
  })
  const coordinator: Coordinator = new Coordinator({
    ...{ store, world, cache, codecs: api.codecs },
    coordination: {
      ...{ ...coordination, rules: news.rules, witness: news.tracker },
      refused: () => storage.refused,
      refusesEncryptionFile: () => options.encryptionNews?.().problem !== undefined,
    },
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
    ...{ api, store, cache, gate, world, checkWrite, admission, recordsWrites },
    ...(options.traceWriters ? { markWriter: (...keys) => writerMark(writer, ...keys) } : {}),
  }

  const accountTokens = createAccountTokens(options.serviceAccountTokens, {
    world,
    cache,
    codecs: api.codecs,
  })
  const agreed = featureGates.AgreedServing ? new AgreedServing(api, cache, world.log) : undefined
  const custom = new CustomResources({
    ...{ cache, api, coordinator, log: world.log, reserved: options.builtInResources ?? builtInResources },
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
  const agreedChecks: HealthCheck[] = []
  if (agreed) {
    const withheld = new WithheldLog(world, () => agreed.problem, running.signal)
    // Aside: what is withheld is withheld by all, and to send clients elsewhere would not help them.
    agreedChecks.push({
      name: 'agreed-serving',
      endpoints: ['readyz'],
      isAside: true,
      check: () => agreed.problem,
    })
    agreed.onChange = () => {
      withheld.look()
      coordinated?.look()
      apiServices.lookAtAll()
    }
  }

  const reviewers = {
    ...access.reviewers,
    ...createReviewers({ registry, authenticator, authorizer, coordinator, custom, definitions }),
  }

  let stopping = false
  let namespacesReady = false
  let policyReady = options.bootstrapPolicy === false
  let versionsReady = options.apiServices === false
  const storeHealth = new StoreHealth(store, world.clock)
  const checks = healthChecks(storeHealth, writes, coordinator, {
    'poststarthook/start-system-namespaces-controller': () =>
      namespacesReady ? undefined : 'system namespaces are missing',
    'poststarthook/rbac/bootstrap-roles': () => (policyReady ? undefined : 'default roles are missing'),
    'autoregister-completion': () => (versionsReady ? undefined : 'APIServices are missing'),
    'storage-decodable': () => storage.problem,
    'informer-sync': () => (cache.synced ? undefined : 'the watch cache has not been filled'),
    shutdown: () => (stopping ? 'the server is shutting down' : undefined),
  }).concat(agreedChecks, encryptionChecks(encryption, options.encryptionNews))

  const crowd = maxInFlight(options.inFlight)
  const watches = new OpenWatches()
  const yaml = new YamlReader(world.clock)
  addGauges(metrics, crowd.inFlight, checks)
  addReplacementCounter(metrics, recovery)
  addWriteMetrics(metrics, writes)
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
      { reviewers, tokens: accountTokens },
      otherPaths(api, checks, world.clock, {
        discovery: documents,
        catchUp: (signal) => catchUp(registry, signal),
        ...(coordinated ? { isConsistent: coordinated.isConsistent } : {}),
        ...(agreed ? { whyWithheld: agreed.whyWithheld } : {}),
        more: { '/metrics': metricsPath(metrics), ...openidDocuments(accountTokens.options) },
      }),
    ),
  )

  /** What a server makes when it starts, and what a store from a backup may lack. */
  const seeToObjects = async (signal: AbortSignal): Promise<void> => {
    await ensureNamespaces(registry, signal)
    if (options.bootstrapPolicy !== false) await ensurePolicy(registry, signal)
    if (options.apiServices !== false) apiServices.lookAtAll()
  }
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
        ? reloadEncryption(
            encryption,
            {
              store,
              tellOthers: () => coordinator.leaseChanged(),
              forgetEmpty: (resource, each) => coordinator.forgetEmpty(resource, each),
            },
            configuration,
            signal,
          )
        : 'this server was started without --encryption-provider-config',
    start: async (signal) => {
      const synced = Promise.withResolvers<void>()
      if (options.agreementEvents) {
        news.announce(registry, coordination.serverID, running.signal)
        writes.onRecovered = (past) =>
          void announceRecoveredWrites(registry, coordination.serverID, past, running.signal)
      }
      encryption?.run(running.signal)
      void recovery.start(running.signal)
      if (!featureGates.APIServerIdentity) void recovery.look(incarnationLookMs, running.signal)
      void cache.run(running.signal, synced.resolve)
      await abortable(synced.promise, signal)
      storage.look()
      await abortable(recovery.marked, signal)
      coordinated?.start()
      // Restored while no server ran: as if it had been under this one (rule 19).
      if (options.store.restored !== undefined) timeline.tellReplaced(options.store.restored)
      await Promise.all([
        coordinator.start(signal),
        ensureNamespaces(registry, signal).then(() => {
          namespacesReady = true
        }),
      ])
      // What may not be written for now is waited for below, for as long as it takes: nobody should wait in silence.
      const refuses = coordinator.refusing
      if (refuses.length > 0)
        world.log.warn('started, but not ready: it may not write everything', {
          serverID: coordination.serverID,
          release,
          refuses,
        })
      const { eventTtlMs = serveDefaults.eventTtlMs } = options
      void lifecycle.run(running.signal)
      if (eventTtlMs > 0) void expireEvents(registry, eventTtlMs, running.signal)
      await Promise.all([seeToPolicy(signal), seeToVersions(signal)])
      await coordinator.writable(signal)
      const { serverID } = coordination
      const { refused = [] } = storage
      if (refused.length === 0) world.log.info('ready', { serverID, release })
      else
        world.log.warn('started, but not ready: it refuses what it cannot read', {
          serverID,
          release,
          refused,
        })
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

/** Something harmless that makes the one watch move (rule 6). */
async function tick(store: Store, key: string, signal: AbortSignal): Promise<void> {
  await store.commit({ writes: [{ kind: 'put', key, value: Buffer.from('{}') }], guards: [] }, signal)
}
