import type { ApiObject } from '@strata/api'
import { loadNamespace } from '../../load/loaded-kind.ts'
import type { FleetState } from '../../state/fleet-state.ts'
import type { Stage } from '../stage.ts'

/** The kind of examples/lighthouse: x knows v1 only; x+1 stores v1, x+2 stores v2, and both read both; x+3 knows v2 only. */
export const beacons = { group: 'lighthouse.example.dev', resource: 'beacons' } as const
export const beaconRecord = 'lighthouse.example.dev.beacons'
export const [storesV1, storesV2, knowsOnlyV2] = ['x+1', 'x+2', 'x+3'] as const

interface Beacon extends ApiObject {
  readonly spec: { readonly everySeconds: number }
}

/** Beacons in v1 in the namespace `default`; they go with the scene. */
export async function createBeacons(stage: Stage, names: readonly string[]): Promise<void> {
  const objects = stage.client.resource<Beacon>({ ...beacons, versionName: 'v1', kind: 'Beacon' })
  const at = (name: string) => ({ namespace: 'default', name })
  stage.later(async (after) => {
    const left = after.client.resource({ ...beacons, versionName: 'v1' })
    for (const name of names) await left.delete(at(name), {}, after.signal)
  })
  for (const name of names)
    await objects.create({ metadata: at(name), spec: { everySeconds: 5 } }, stage.signal)
}

/** The beacons that no load writes: nothing but a scene, or its user, creates and deletes them. */
export async function readNames(stage: Stage): Promise<readonly string[]> {
  const { items } = await stage.client.resource({ ...beacons, versionName: 'v1' }).list({}, stage.signal)
  return items
    .filter(({ metadata }) => metadata.namespace !== loadNamespace)
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
}

/** Why neither this fleet nor one with the same kinds can upgrade the example kind; undefined if it can. */
export const whyNoBeacons = ({ releases }: Pick<FleetState, 'releases'>): string | undefined =>
  [storesV1, storesV2, knowsOnlyV2].every((each) => releases.includes(each))
    ? undefined
    : 'it needs the example kind: start the fleet with --resources examples/lighthouse/resources.ts (npm start does)'

/** Why the running fleet cannot begin an upgrade of the example kind; undefined if it can. */
export function whyNoUpgrade({ servers, releases, roll }: FleetState): string | undefined {
  const [first] = servers
  return (
    whyNoBeacons({ releases }) ??
    whyNotQuiet({ servers, roll }) ??
    (servers.length < 2 ? 'it needs at least two servers' : undefined) ??
    (first?.release === storesV1
      ? undefined
      : `it begins with release ${storesV1}, and the servers run ${first?.release}: strata roll --to ${storesV1}`)
  )
}

/** Why a scene would meet something else that moves servers; undefined if all is quiet. */
export function whyNotQuiet({ servers, roll }: Pick<FleetState, 'servers' | 'roll'>): string | undefined {
  const away = servers.find(({ state }) => state !== 'ready')
  if (away) return `${away.name} is ${away.state}: a scene begins with all servers ready`
  if (roll && roll.state !== 'done')
    return `a roll is ${roll.state}: finish it, or go back, first (strata roll --back)`
  const releases = new Set(servers.map(({ release }) => release))
  if (releases.size > 1)
    return `the servers run ${[...releases].join(' and ')}: bring them to one release first`
  return undefined
}
