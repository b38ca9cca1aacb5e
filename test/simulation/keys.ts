/** Where the store keeps what the simulation looks at. */
export const beaconPrefix = '/registry/lighthouse.example.dev/beacons/'
export const configMapPrefix = '/registry/configmaps/'
export const leasePrefix = '/registry/leases/kube-system/'
export const agreementPrefix = '/registry/strata.dev/storageagreements/'
export const storageVersionPrefix = '/registry/internal.apiserver.k8s.io/storageversions/'

/** Prefixes of the fenced resources, by the name of their agreement record. */
export const fencedPrefixes: ReadonlyMap<string, string> = new Map([
  ['lighthouse.example.dev.beacons', beaconPrefix],
  ['core.configmaps', configMapPrefix],
])

export const isClientKey = (key: string): boolean =>
  key.startsWith(beaconPrefix) || key.startsWith(configMapPrefix)
