import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { commandRights, type GrantedRight, printedRights } from '@strata/cli'
import { migratorLeaseName } from '@strata/controllers'
import { lampDefinition, lampsName } from '../e2e/lamps.ts'
import { configurationFile } from '../support/encrypted-fleet.ts'
import { RightsCluster, type Run } from '../support/rights-cluster.ts'

const off = (...groups: readonly string[]) => groups.map((each) => `${each}/v1alpha1=false`).join(',')
/** Servers of Strata; others, which publish storage versions; and others that have no kinds for migrations. */
const makes = {
  strata: undefined,
  other: off('strata.dev'),
  bare: off('strata.dev', 'internal.apiserver.k8s.io', 'migration.k8s.io'),
} as const
type Make = keyof typeof makes

const bulbsName = 'bulbs.light.example.dev'

interface Scenario {
  readonly on: Make
  readonly args: readonly string[]
  /** Whether lamps are stored in an old version before it. */
  readonly isStale?: boolean
  /** Whether the key of lamps has changed, and they are stored under the old one. */
  readonly isRotating?: boolean
  /** Whether a migration has set a lamp aside. */
  readonly isSetAside?: boolean
  readonly isEnough?: (run: Run) => boolean
}

/** Each of these has been requested, as `METHOD path`. */
const requested =
  (...wanted: readonly RegExp[]) =>
  ({ asked }: Run): boolean =>
    wanted.every((each) => asked.some((request) => each.test(request)))

const onBoth = (...args: readonly string[]): readonly Scenario[] => [
  { on: 'strata', args, isStale: true },
  { on: 'other', args, isStale: true },
]
const scenarios: Readonly<Record<string, readonly Scenario[]>> = {
  status: [
    { on: 'strata', args: ['status'] },
    {
      on: 'strata',
      args: ['status', '--watch'],
      isEnough: requested(/storageagreements\?watch=/, /leases\?watch=/),
    },
  ],
  check: [
    { on: 'strata', args: ['check', '--to', 'x+9', '--decodable', 'secrets=v1'] },
    { on: 'other', args: ['check', '--to', '1.37'] },
  ],
  plan: onBoth('plan', lampsName),
  inspect: onBoth('inspect', lampsName),
  'can-drop': onBoth('can-drop', lampsName, 'v1'),
  migrate: [
    ...onBoth('migrate', lampsName),
    { on: 'strata', args: ['migrate', lampsName, '--no-wait'], isStale: true },
    { on: 'strata', args: ['migrate', lampsName, '--through-api'], isStale: true },
  ],
  census: onBoth('census', lampsName),
  verify: onBoth('verify', lampsName),
  'rotate-keys': [
    { on: 'strata', args: ['rotate-keys', lampsName, '--to', 'aesgcm:two', '--yes'], isRotating: true },
    {
      on: 'other',
      args: ['rotate-keys', lampsName, '--encryption-provider-config', 'FILES/keys.json', '--yes'],
    },
  ],
  repair: [
    { on: 'strata', args: ['repair', lampsName, '--retry'], isSetAside: true },
    { on: 'other', args: ['repair', lampsName, '--retry'], isSetAside: true },
  ],
  prune: onBoth('prune', lampsName, '--accept', 'unknown'),
  'clean-managed-fields': onBoth('clean-managed-fields', lampsName, '--yes'),
  rehearse: [
    { on: 'strata', args: ['rehearse', 'FILES/path.json'] },
    { on: 'bare', args: ['rehearse', 'FILES/path.json'] },
  ],
  'crd upgrade': [
    ...onBoth('crd', 'upgrade', `FILES/${lampsName}.json`, '--yes', '--accept', 'observed-clean'),
    { on: 'strata', args: ['crd', 'upgrade', `FILES/${bulbsName}.json`, '--dry-run'] },
  ],
  'controllers init': [
    { on: 'bare', args: ['controllers', 'init', '--install-crds'] },
    { on: 'strata', args: ['controllers', 'init'] },
    { on: 'other', args: ['controllers', 'init'] },
  ],
}
/** By controller-rights.slow.test.ts, and by the dashboard's page in a browser. */
const heldElsewhere = ['controllers', 'dashboard', 'controllers install', 'controllers uninstall']

interface Ran {
  readonly way: Scenario
  readonly asked: readonly string[]
}

/** How likely a right was used: only the order of the attempts depends on it. */
function uses({ asked }: Ran, { verb, resource, name = '' }: GrantedRight): number {
  const isWatch = verb === 'watch'
  return Number(
    asked.some((each) => {
      const isAlike = each.includes(`/${resource}`) && each.includes(name)
      return (
        isAlike && each.includes('watch=') === isWatch && each.startsWith(verb === 'create' ? 'POST' : '')
      )
    }),
  )
}

/** An upgrade asks for the Lease of the controllers only where it goes on with one that was stopped. */
const isForResuming = (command: string, { name }: GrantedRight): boolean =>
  command === 'crd upgrade' && name === migratorLeaseName

/** API servers are looked for only over TLS, where their certificates can be verified: these servers speak plain HTTP. */
const isForTls = ({ resource }: GrantedRight): boolean => resource === 'endpointslices'

/** A CRD that the cluster does not have yet. */
function bulbDefinition() {
  const { spec, ...lamps } = lampDefinition('v1', ['v1'])
  const names = { plural: 'bulbs', singular: 'bulb', kind: 'Bulb' }
  return { ...lamps, metadata: { name: bulbsName }, spec: { ...spec, names } }
}

/** A path that begins with what the cluster has. */
const rehearsal = {
  interleavings: 0,
  crds: { now: lampDefinition('v2') },
  steps: [{ release: 'now', objects: { cluster: true } }],
}

describe('the rights that strata rbac prints are enough, and none is too much', () => {
  const clusters = new Map<Make, RightsCluster>()
  const isChanged = new Set(Object.keys(makes))
  before(async () => {
    for (const [make, runtimeConfig] of Object.entries(makes) as [Make, string | undefined][]) {
      const cluster = await RightsCluster.start(runtimeConfig)
      clusters.set(make, cluster)
      await cluster.fill(2)
      await cluster.releases()
      const keys = configurationFile(['aesgcm:two', 'aesgcm:one'], [lampsName])
      await writeFile(join(cluster.home, 'keys.json'), JSON.stringify(keys))
      cluster.claimToHaveLoaded(JSON.stringify(keys))
      await writeFile(join(cluster.home, 'path.json'), JSON.stringify(rehearsal))
      for (const definition of [lampDefinition('v2', ['v2']), bulbDefinition()])
        await writeFile(join(cluster.home, `${definition.metadata.name}.json`), JSON.stringify(definition))
    }
  })
  after(async () => {
    for (const cluster of clusters.values()) await cluster.stop()
  })

  async function run(
    { on, args, isStale, isSetAside, isRotating, isEnough }: Scenario,
    rights: readonly GrantedRight[],
  ) {
    const cluster = clusters.get(on) ?? assert.fail()
    // A command that was denied has changed nothing.
    if (isChanged.has(on)) await cluster.restore()
    if (isStale && isChanged.has(on)) await cluster.storeOld()
    if (isRotating) await cluster.rotate()
    if (isSetAside) await cluster.setAside(on === 'strata')
    const user = await cluster.user(rights)
    const words = args.map((each) => each.replace('FILES', cluster.home))
    isChanged.add(on)
    const ran = await cluster.run(user, words, isEnough)
    if (ran.denied.length > 0 && isStale) isChanged.delete(on)
    return ran
  }

  /** Whether the server denies a request of the command; it is stopped then. */
  async function isDenied(way: Scenario, rights: readonly GrantedRight[]): Promise<boolean> {
    const isEnough = (each: Run) => each.denied.length > 0 || way.isEnough?.(each) === true
    return (await run({ ...way, isEnough }, rights)).denied.length > 0
  }

  test('every command has a scenario', () => {
    assert.deepEqual(
      Object.keys(scenarios).sort(),
      Object.keys(commandRights)
        .filter((each) => !heldElsewhere.includes(each))
        .sort(),
    )
  })

  for (const [command, ways] of Object.entries(scenarios)) {
    test(`${command}: nothing is denied; without any one of them, something is`, async () => {
      const rights = printedRights([command, ...(command === 'controllers init' ? [] : [lampsName])])
      const runs: Ran[] = []
      for (const way of ways) {
        const { denied, said, asked } = await run(way, rights)
        assert.deepEqual(denied, [], said)
        runs.push({ way, asked })
      }
      const unneeded: GrantedRight[] = []
      for (const right of rights) {
        const less = rights.filter((each) => each !== right)
        let isNeeded = false
        for (const { way } of runs.toSorted((a, b) => uses(b, right) - uses(a, right)))
          isNeeded ||= await isDenied(way, less)
        if (!isNeeded && !isForResuming(command, right) && !isForTls(right)) unneeded.push(right)
      }
      assert.deepEqual(unneeded, [])
    })
  }
})
