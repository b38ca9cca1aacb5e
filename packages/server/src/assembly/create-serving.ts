import { openidDocuments } from '../authentication/index.ts'
import { versionInfo } from '../discovery/index.ts'
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
  dashboard,
  impersonation,
  maxInFlight,
  measure,
  OpenWatches,
  passToBackend,
  refuseOtherPages,
  refuseUndecodable,
  requestDeadline,
  warnings,
  writeGate,
} from '../filters/index.ts'
import {
  type Handler,
  type HealthCheck,
  metricsPath,
  otherPaths,
  routeResources,
  YamlReader,
} from '../handlers/index.ts'
import { addEncryptionMetrics, addServerMetrics } from '../health/index.ts'
import { answerErrors, answerRequests, toApiError } from '../http/index.ts'
import type { Metrics } from '../metrics/index.ts'
import { catchUp } from '../registry/index.ts'
import type { Agreement } from './create-agreement.ts'
import type { Resources } from './create-resources.ts'
import type { Storage } from './create-storage.ts'
import type { ServerSettings } from './server-settings.ts'

export interface ServingParts {
  readonly settings: ServerSettings
  readonly metrics: Metrics
  readonly storage: Storage
  readonly agreement: Agreement
  readonly resources: Resources
  readonly checks: readonly HealthCheck[]
}

/** The path of a request, and the parts that are closed when the server stops. */
export type Serving = ReturnType<typeof createServing>

export function createServing(parts: ServingParts) {
  const { settings, metrics, storage, agreement, resources, checks } = parts
  const { world, api, audit: auditOptions } = settings
  const { authenticator, access } = resources
  const { filter: limitInFlight, inFlight } = maxInFlight(settings.inFlight)
  const watches = new OpenWatches()
  const yaml = new YamlReader(world.clock)
  const { recovery, writes } = storage
  addServerMetrics(metrics, { inFlight, checks, recovery, writes, auditSink: auditOptions?.sink })
  if (settings.encryptionNews)
    addEncryptionMetrics(metrics, settings.coordination.serverID, settings.encryptionNews)

  // Without an audit policy there are no audit filters.
  const recorded = auditOptions && { ...auditOptions, toApiError }

  // Every request passes these from top to bottom, in upstream's order.
  const handler = chain(
    [
      auditId(world),
      warnings(),
      measure(world, metrics.requests),
      (context, next) => answerErrors(next, world)(context),
      ...(settings.dashboard && !settings.aggregated ? [dashboard(settings.dashboard)] : []),
      refuseOtherPages,
      watches.filter,
      requestDeadline(world),
      caughtUp(storage.cache, api, world),
      ...(recorded ? [beginAudit(recorded, world)] : []),
      authentication(authenticator),
      ...(recorded ? [audit(recorded)] : []),
      impersonation(access.authorizer),
      ...(recorded ? [auditActor] : []),
      limitInFlight,
      authorization(access.authorizer),
      ...(recorded ? [auditAllowed] : []),
      passToBackend(resources.backends, world),
      refuseUndecodable(agreement.undecodable),
      writeGate(agreement.gate),
    ],
    createRoutes(parts),
  )
  return { handle: answerRequests(handler, world, { yaml, api }), watches, yaml }
}

function createRoutes({ settings, metrics, agreement, resources, checks }: ServingParts): Handler {
  const { registry, reviewers, accountTokens, documents, coordinated, agreed, access } = resources
  const others = otherPaths(settings.api, checks, settings.world.clock, {
    discovery: documents,
    version: settings.version ?? versionInfo,
    catchUp: (signal) => catchUp(registry, signal),
    isConsistent: coordinated?.isConsistent,
    whyWithheld: agreed?.whyWithheld,
    more: {
      '/metrics': metricsPath(metrics),
      ...(settings.aggregated ? {} : openidDocuments(accountTokens.options)),
    },
  })
  const { AllowUnsafeMalformedObjectDeletion: isUnsafeAllowed } = settings.featureGates
  const unsafe = isUnsafeAllowed ? access.authorizer : undefined
  const parts = { reviewers, tokens: accountTokens, unsafe }
  return routeResources(registry, agreement.coordinator.records, parts, others)
}
