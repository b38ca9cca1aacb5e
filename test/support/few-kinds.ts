import {
  apiServices,
  configMaps,
  customResourceDefinitions,
  discoveryDocHashes,
  isKind,
  leases,
  namespaces,
  resourceQuotas,
  storageAgreements,
  storageCensuses,
  storageReencodes,
  storageStates,
  storageVersionBallots,
  storageVersionMigrations,
  storageVersions,
  versionedMigrations,
} from '@strata/api'
import { builtInResources } from '@strata/server'

const wanted = [
  ...[namespaces, leases, storageAgreements, storageVersions, storageVersionBallots],
  ...[discoveryDocHashes, configMaps, customResourceDefinitions],
]
const questions = [storageCensuses, storageReencodes]

const few = (kinds: readonly { readonly group: string; readonly kind: string }[]) =>
  builtInResources.filter((each) => kinds.some((kind) => isKind(each, kind)))

/**
 * The built-in kinds that agreement is made of, and those that clients of the simulated world write. The others are agreed
 * on alike.
 */
export const fewKinds = few([...wanted, ...questions])

/** The same without the migration APIs of the server: clients have to migrate object by object, as elsewhere. */
export const fewKindsElsewhere = few(wanted)

/** The same, with those by which migrations are asked for. */
export const fewKindsMigrated = few([
  ...wanted,
  ...questions,
  ...[storageStates, storageVersionMigrations, versionedMigrations],
])

/** The same, with a kind that has the status subresource. */
export const withQuotas = (kinds: typeof fewKinds): typeof fewKinds => [...kinds, ...few([resourceQuotas])]

/** The same, with that by which servers pass requests on to others. */
export const withApiServices = (kinds: typeof fewKinds): typeof fewKinds => [...kinds, ...few([apiServices])]
