import { beacons } from '../../examples/lighthouse/beacon.ts'

/** `--resources` of an aggregator: a kind of its own with the same releases, as the lighthouse is behind it. */
export const resources: readonly unknown[] = [
  {
    ...beacons,
    group: 'harbour.example.dev',
    shortNames: [],
    storagePrefix: 'harbour.example.dev/beacons',
  },
]
