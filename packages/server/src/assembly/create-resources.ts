import { internalError } from '@strata/api'
import { Admission } from '../admission/index.ts'
import { Backends } from '../aggregation/index.ts'
import { ApiServices } from '../api-services/index.ts'
import { createAccountTokens, createAuthenticator } from '../authentication/index.ts'
import { CustomResources, DefinitionLifecycle } from '../custom-resources/index.ts'
import { createBuiltInHash, type LegacyOptions } from '../discovery/index.ts'
import { decodeObject, servedVerbs } from '../handlers/index.ts'
import type { Metrics } from '../metrics/index.ts'
import {
  AgreedServing,
  equivalentResources,
  namespaceLabels,
  type Registry,
  WithheldLog,
  writerMark,
} from '../registry/index.ts'
import { createWebhookClient } from '../webhooks/index.ts'
import { createAccessControl } from './access-control.ts'
import { createCoordinatedDiscovery } from './coordinated-discovery.ts'
import type { Agreement } from './create-agreement.ts'
import { createDelegation } from './create-delegation.ts'
import type { Storage } from './create-storage.ts'
import { createReviewers } from './reviewers.ts'
import type { ServerSettings } from './server-settings.ts'

/** The registry, and the parts that keep what is served up to date. */
export type Resources = ReturnType<typeof createResources>

export function createResources(
  settings: ServerSettings,
  { store, cache }: Storage,
  { coordinator, gate }: Agreement,
  { metrics, running }: { readonly metrics: Metrics; readonly running: AbortSignal },
) {
  const { world, api, featureGates, rules, definitions, coordination } = settings
  const { serverID, expectedServers } = coordination
  const { clock, random, log } = world
  const delegation = settings.aggregated && createDelegation(settings.aggregated, world)
  const decides = delegation?.authorizer ?? settings.authorizationModes ?? ['RBAC']
  const access = createAccessControl(decides, { cache, api, world })
  const webhooks = settings.webhooks ?? createWebhookClient({ clock })
  const admission = new Admission({
    ...{ client: webhooks, random, log, clock },
    observe: (outcome) => metrics.admission.observe(outcome),
    equivalentsOf: equivalentResources(api),
    namespaceLabels: (namespace, signal) => namespaceLabels({ api, cache, store }, namespace, signal),
    decode: (object, resource) => decodeObject(object, resource, () => {}, internalError),
  })
  admission.follow(cache, api.codecs)
  const writer = { serverID, process: coordinator.identity.process }
  const registry: Registry = {
    ...{ api, store, cache, gate, world, checkWrite: access.checkWrite, admission },
    recordsWrites: featureGates.StorageVersionAPI,
    namespaceState: delegation?.namespaceState,
    markWriter: settings.traceWriters ? (...keys) => writerMark(writer, ...keys) : undefined,
  }
  const tokenParts = { world, cache, codecs: api.codecs }
  const accountTokens = createAccountTokens(settings.serviceAccountTokens, tokenParts)
  const agreed = featureGates.AgreedServing ? new AgreedServing(api, cache, log) : undefined
  const custom = new CustomResources({
    ...{ cache, api, coordinator, log, reserved: settings.reserved },
    converters: { webhooks, random, clock, functions: settings.conversions ?? {} },
  })
  const definitionLifecycle = new DefinitionLifecycle(registry, custom)
  const backends = new Backends(world, settings.aggregation, running)
  const apiServices = new ApiServices(registry, backends)
  custom.onChange = (key) => {
    definitionLifecycle.mark(key)
    apiServices.look()
  }
  const documents: LegacyOptions = {
    storageVersionHashes: featureGates.StorageVersionHash,
    encodingVersionOf: ({ definition: { group, plural }, codec }) =>
      coordinator.encodingVersionOf({ group, resource: plural }) ?? codec.preferredVersion,
  }
  const coordinated = featureGates.EnableCoordinatedDiscoveryDocument
    ? createCoordinatedDiscovery({
        ...{ store, world, cache, coordinator, rules, expectedServers },
        builtInHash: createBuiltInHash(api, servedVerbs, documents),
      })
    : undefined
  coordinator.fence.onEncodingVersion(() => coordinated?.look())
  if (agreed) {
    const withheld = new WithheldLog(world, () => agreed.problem, running)
    agreed.onChange = () => {
      withheld.check()
      coordinated?.look()
      apiServices.lookAtAll()
    }
  }
  const authenticator = createAuthenticator(
    settings.tokens,
    delegation?.tokens ?? accountTokens,
    delegation?.requestHeader ?? settings.requestHeader,
  )
  const { authorizer } = access
  const reviewers = {
    ...access.reviewers,
    ...createReviewers({ registry, authenticator, authorizer, coordinator, custom, definitions }),
  }
  return {
    ...{ access, registry, accountTokens, authenticator, definitionLifecycle, apiServices, backends },
    ...{ reviewers, documents, coordinated, agreed, delegation },
  }
}
