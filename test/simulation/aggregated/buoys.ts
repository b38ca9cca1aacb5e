import { defineResource, type ResourceDefinition } from '@strata/api'
import { beacons } from '../../../examples/lighthouse/beacon.ts'
import { aggregatedGroup } from '../keys.ts'

/** The kind of an aggregated fleet: the example kind under another name, so that it changes with the release likewise. */
export const buoys = defineResource({
  ...beacons,
  ...{ group: aggregatedGroup, kind: 'Buoy', plural: 'buoys', singular: 'buoy', shortNames: [] },
  storagePrefix: `${aggregatedGroup}/buoys`,
}) as unknown as ResourceDefinition

export const buoyResource = { group: aggregatedGroup, resource: 'buoys' }
