import { beacons } from './beacon.ts'

/** What `strata serve --resources examples/lighthouse/resources.ts` loads. */
export const resources = [beacons]
