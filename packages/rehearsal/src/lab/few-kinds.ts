import {
  customResourceDefinitions,
  discoveryDocHashes,
  isKind,
  leases,
  namespaces,
  type ResourceDefinition,
  storageAgreements,
  storageCensuses,
  storageReencodes,
  storageVersionBallots,
  storageVersions,
} from '@strata/api'
import { builtInResources } from '@strata/server'

const wanted = [
  ...[namespaces, leases, storageAgreements, storageVersions, storageVersionBallots],
  ...[discoveryDocHashes, customResourceDefinitions, storageCensuses, storageReencodes],
]

/** The built-in kinds that agreement and CRDs are made of. The others would only take time. */
export const fewKinds: readonly ResourceDefinition[] = builtInResources.filter((each) =>
  wanted.some((kind) => isKind(each, kind)),
)
