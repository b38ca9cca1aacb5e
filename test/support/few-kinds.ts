import {
  configMaps,
  customResourceDefinitions,
  discoveryDocHashes,
  isKind,
  leases,
  namespaces,
  storageAgreements,
  storageVersionBallots,
  storageVersions,
} from '@strata/api'
import { builtInResources } from '@strata/server'

const wanted = [
  ...[namespaces, leases, storageAgreements, storageVersions, storageVersionBallots],
  ...[discoveryDocHashes, configMaps, customResourceDefinitions],
]

/** The built-in kinds that agreement is made of, and those that clients of the simulated world write. The others are agreed on alike. */
export const fewKinds = builtInResources.filter((each) => wanted.some((kind) => isKind(each, kind)))
