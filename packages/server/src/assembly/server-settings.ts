import type { ResourceDefinition } from '@strata/api'
import {
  aggregatedResources,
  builtInResources,
  defaultFeatureGates,
  type FeatureGates,
  gatedOff,
  softwareRelease,
} from '../configuration/index.ts'
import { type CoordinationOptions, type ProtocolRules, protocolRules } from '../coordination/index.ts'
import { createServedApi, type ServedApi } from '../registry/index.ts'
import { checkAggregated, checkGates, checkKinds, checkRuntimeConfig } from './check-options.ts'
import type { ServerOptions } from './server-options.ts'

/** The options of a server, checked and with their defaults. */
export interface ServerSettings extends ServerOptions {
  readonly featureGates: FeatureGates
  /** The name of this release, in entries and logs. `options.release` is undefined for the newest. */
  readonly releaseName: string
  readonly coordination: CoordinationOptions
  readonly rules: ProtocolRules
  /** The kinds of this program, without those of gates that are off. `--runtime-config` may hide some of them. */
  readonly definitions: readonly ResourceDefinition[]
  /** The resources that no CRD may define. */
  readonly reserved: readonly ResourceDefinition[]
  readonly api: ServedApi
}

/** The aggregator has these objects. */
const notAggregated = { bootstrapPolicy: false, apiServices: false, agreementEvents: false }

export function resolveSettings(options: ServerOptions): ServerSettings {
  checkKinds(options.resources)
  const featureGates = checkGates(options.featureGates ?? defaultFeatureGates)
  const { encryption, release, aggregated } = options
  const reserved = options.builtInResources ?? (aggregated ? aggregatedResources : builtInResources)
  const releaseName = release ?? softwareRelease
  const coordination: CoordinationOptions = {
    release: releaseName,
    ...options.coordination,
    recordsWrites: featureGates.StorageVersionAPI,
    hasIdentity: featureGates.APIServerIdentity,
    ...(encryption ? { keys: encryption.serverKeys } : {}),
  }
  const definitions = [
    ...reserved.filter((each) => !gatedOff(each, featureGates)),
    ...(options.resources ?? []),
  ]
  return {
    ...options,
    ...(aggregated ? notAggregated : {}),
    ...{ featureGates, releaseName, coordination, definitions, reserved },
    rules: coordination.rules ?? protocolRules,
    api: createServedApi(
      definitions,
      release,
      checkRuntimeConfig(options.runtimeConfig, options.resources),
      aggregated ? checkAggregated(options.resources) : [],
    ),
  }
}
