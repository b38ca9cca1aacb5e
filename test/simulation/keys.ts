/** Where the store keeps what the simulation looks at. */
export const beaconPrefix = '/registry/lighthouse.example.dev/beacons/'
export const configMapPrefix = '/registry/configmaps/'
export const quotaPrefix = '/registry/resourcequotas/'
export const leasePrefix = '/registry/leases/kube-system/'
export const agreementPrefix = '/registry/strata.dev/storageagreements/'
export const storageVersionPrefix = '/registry/internal.apiserver.k8s.io/storageversions/'
export const ballotPrefix = '/registry/kube-apiserver.internal.k8s.io/storageversions/'
export const docHashesKey = '/registry/apiservercoordination.k8s.io/discoverydochashes/built-in'
/** Serializes decisions about the names of a group. */
export const namesPrefix = '/registry/strata.dev/names/'
/** Random bytes that stand for one timeline of the store; the read barrier asks for them. */
export const incarnationKey = '/registry/strata.dev/ticks/incarnation'
/** The nonces of records, each named like its record. */
export const noncePrefix = '/registry/strata.dev/ticks/records/'
export const definitionPrefix = '/registry/apiextensions.k8s.io/customresourcedefinitions/'

/** Migrations of both groups. Keys of upstream's own kinds have no group. */
export const migrationPrefixes = [
  '/registry/migration.k8s.io/storageversionmigrations/',
  '/registry/storageversionmigrations/',
]
export const isMigrationKey = (key: string): boolean =>
  migrationPrefixes.some((prefix) => key.startsWith(prefix))
export const storageStatePrefix = '/registry/migration.k8s.io/storagestates/'

/** The group of the custom resources. All their CRDs name the same kind, and only one at a time may have it. */
export const customGroup = 'workshop.example.org'
export const customPlurals = ['gadgets', 'gizmos', 'gears'] as const
export type CustomPlural = (typeof customPlurals)[number]

export const customPrefix = (plural: CustomPlural): string => `/registry/${customGroup}/${plural}/`
export const definitionKey = (plural: CustomPlural): string => `${definitionPrefix}${plural}.${customGroup}`

/** The agreement record of the example kind. */
export const exampleRecord = 'lighthouse.example.dev.beacons'

/** What an aggregated fleet serves, and keeps in a store of its own. */
export const aggregatedGroup = 'harbour.example.dev'
export const buoyPrefix = `/registry/${aggregatedGroup}/buoys/`
/** The agreement record of the aggregated kind, in that store, and its mirror, in the aggregator's. */
export const aggregatedRecord = `${aggregatedGroup}.buoys`

/** Prefixes of the fenced resources, by the name of their agreement record. */
export const fencedPrefixes: ReadonlyMap<string, string> = new Map([
  [exampleRecord, beaconPrefix],
  [aggregatedRecord, buoyPrefix],
  ['core.configmaps', configMapPrefix],
  ['core.resourcequotas', quotaPrefix],
  ...customPlurals.map((plural) => [`${customGroup}.${plural}`, customPrefix(plural)] as const),
])

const clientPrefixes = [...fencedPrefixes.values()]
export const isClientKey = (key: string): boolean => clientPrefixes.some((prefix) => key.startsWith(prefix))

/** Which custom resource an object is one of. */
export const customPluralOf = (key: string): CustomPlural | undefined =>
  customPlurals.find((plural) => key.startsWith(customPrefix(plural)))

/** Which custom resource a definition is one of. */
export const definedPluralOf = (key: string): CustomPlural | undefined =>
  customPlurals.find((plural) => key === definitionKey(plural))
