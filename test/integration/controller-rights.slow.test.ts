import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type ApiObject, defineResource, type ResourceDefinition } from '@strata/api'
import { printedRights } from '@strata/cli'
import { lampsName } from '../e2e/lamps.ts'
import { isFullSize } from '../support/full-size.ts'
import { RightsCluster, type Run } from '../support/rights-cluster.ts'
import { until } from '../support/until.ts'

async function started(t: TestContext, ...given: Parameters<typeof RightsCluster.start>) {
  const cluster = await RightsCluster.start(...given)
  t.after(() => cluster.stop())
  return cluster
}

const migrations = '/apis/migration.k8s.io/v1alpha1'
const chosen = [
  ...['--controllers', 'storage-version-migration-trigger,storage-version-migrator'],
  // In the time of these commands, where a minute is a second.
  ...['--accept', 'succeeded', '--poll-period', '6s'],
]

type Make = [name: string, runtimeConfig: string | undefined]
const makes: readonly Make[] = [
  ['on Strata', undefined],
  // They wait as long as servers may go on with what they knew.
  ...(isFullSize
    ? ([
        ['on servers that publish storage versions', 'strata.dev/v1alpha1=false'],
        [
          'on servers that show hashes alone',
          'strata.dev/v1alpha1=false,internal.apiserver.k8s.io/v1alpha1=false',
        ],
      ] satisfies Make[])
    : []),
]
for (const [name, runtimeConfig] of makes) {
  test(`controllers, ${name}: a migration is triggered and run, and nothing is denied`, async (t) => {
    const cluster = await started(t, runtimeConfig)
    await cluster.fill(2)
    const isCurrent = async (): Promise<boolean> => {
      const { status, body } = await cluster.send('GET', `${migrations}/storageversionmigrations`)
      if (status !== 200) return false
      return (body.items as readonly Migration[]).some(
        (each) => each.spec.resource.resource === 'lamps' && hasSucceeded(each),
      )
    }
    let isDone = false
    const seen: Run[] = []
    const ended = (): boolean => (seen[0]?.denied.length ?? 0) > 0
    const isEnough = (run: Run): boolean => {
      seen[0] = run
      return isDone || ended()
    }
    const user = await cluster.user(printedRights(['controllers']))
    const ran = cluster.run(user, ['controllers', ...chosen], isEnough)
    try {
      // They note what is stored now, and then that another version is written.
      await until('the state of lamps is recorded', async () => {
        const { body } = await cluster.send('GET', `${migrations}/storagestates/${lampsName}`)
        return ended() || body.status?.currentStorageVersionHash !== undefined
      })
      if (!ended()) await cluster.storeOld()
      await until('a migration of lamps has succeeded', async () => ended() || (await isCurrent()), {
        giveUpMs: 120_000,
      })
    } finally {
      isDone = true
      const { denied, said } = await ran
      assert.deepEqual(denied, [], said)
    }
    assert.ok(await isCurrent())
  })
}

interface Migration {
  readonly spec: { readonly resource: { readonly resource: string } }
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

const hasSucceeded = ({ status }: Migration): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Succeeded' && is === 'True') === true

/** Kinds of a cluster that runs workloads. Strata has none of its own. */
const workloads: readonly ResourceDefinition[] = (
  [
    ['', 'Service', 'services'],
    ['apps', 'Deployment', 'deployments'],
    ['networking.k8s.io', 'NetworkPolicy', 'networkpolicies'],
    ['policy', 'PodDisruptionBudget', 'poddisruptionbudgets'],
  ] as const
).map(([group, kind, plural]) =>
  defineResource<ApiObject>({
    ...{ group, kind, plural, singular: kind.toLowerCase(), scope: 'Namespaced' },
    ...{ preferredStorageVersion: 'v1', storagePrefix: `tests/${plural}` },
    versions: {
      v1: {
        schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        ...{ toHub: (each: object) => each as ApiObject, fromHub: (each: ApiObject) => each },
      },
    },
  }),
)

test('controllers install and uninstall: rehearsed and done, and nothing is denied', async (t) => {
  const cluster = await started(t, undefined, workloads)
  const steps: readonly [command: string, results: readonly string[], ...flags: string[]][] = [
    ['install', ['would be created'], '--image', 'registry.test/strata:1', '--dry-run'],
    ['install', ['created'], '--image', 'registry.test/strata:1'],
    ['install', ['changed', 'unchanged'], '--image', 'registry.test/strata:2'],
    ['uninstall', ['would be deleted', 'left alone'], '--dry-run'],
    ['uninstall', ['deleted', 'left alone'], '--yes'],
  ]
  for (const [command, results, ...flags] of steps) {
    const user = await cluster.user(printedRights(['controllers', command]))
    const { code, said, denied } = await cluster.run(user, ['controllers', command, ...flags, '-o', 'json'])
    assert.deepEqual([code, denied], [0, []], said)
    const found: readonly { readonly result: string }[] = JSON.parse(said).objects
    assert.deepEqual([...new Set(found.map((each) => each.result))].sort(), results.toSorted(), said)
  }
})

test('controllers install: without the right to grant the rights of the controllers, the server refuses', async (t) => {
  const cluster = await started(t, undefined, workloads)
  const rights = printedRights(['controllers', 'install']).filter(({ verb }) => verb !== 'escalate')
  const user = await cluster.user(rights)
  const { code, said } = await cluster.run(user, ['controllers', 'install', '--image', 'registry.test/s:1'])
  assert.equal(code, 1, said)
  assert.match(said, /ClusterRole .*refused .*attempting to grant/)
})
