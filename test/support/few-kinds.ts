import {
  configMaps,
  customResourceDefinitions,
  discoveryDocHashes,
  isKind,
  leases,
  namespaces,
  type ResourceDefinition,
  storageAgreements,
  storageCensuses,
  storageVersionBallots,
  storageVersions,
} from '@strata/api'
import { builtInResources } from '@strata/server'

const wanted = [
  ...[namespaces, leases, storageAgreements, storageVersions, storageVersionBallots],
  ...[discoveryDocHashes, configMaps, customResourceDefinitions],
]

/** The built-in kinds that agreement is made of, and those that clients of the simulated world write. The others are agreed on alike. */
export const fewKinds: readonly ResourceDefinition[] = builtInResources.filter((each) =>
  wanted.some((kind) => isKind(each, kind)),
)

/** And what is counted next to the data. */
export const fewKindsAndCensus: readonly ResourceDefinition[] = builtInResources.filter(
  (each) => fewKinds.includes(each) || isKind(each, storageCensuses),
)
