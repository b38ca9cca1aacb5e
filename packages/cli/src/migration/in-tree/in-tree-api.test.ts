import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyPlanForbids } from './decide-plan-allows.ts'
import { decideInTreeApi, inTreeSpec, whyNotInTree } from './in-tree-api.ts'

const served = (versionName: string) => ({
  ...{ group: 'storagemigration.k8s.io', resource: 'storageversionmigrations', versionName },
  ...{ kind: 'StorageVersionMigration', namespaced: false, verbs: [] },
})
const versions: ReadonlyArray<[served: readonly string[], want: string | RegExp]> = [
  [['v1beta1'], 'v1beta1'],
  [['v1beta1', 'v1'], 'v1'],
  [['v1alpha1'], 'v1alpha1'],
  [['v9'], /served in v9 only/],
  [
    [],
    /--feature-gates=StorageVersionMigrator=true and --runtime-config=storagemigration\.k8s\.io\/v1beta1=true/,
  ],
]
for (const [names, want] of versions) {
  test(`--in-tree where ${names.join(' and ') || 'nothing'} is served`, () => {
    const api = decideInTreeApi({ resources: names.map(served), failures: [] })
    if (typeof want === 'string') assert.equal(typeof api === 'object' && api.versionName, want)
    else assert.match(String(api), want)
  })
}

test('--in-tree: a group whose discovery failed is not taken for one that is not served', () => {
  const failures = [{ groupVersion: 'storagemigration.k8s.io/v1beta1', why: 'no answer' }]
  assert.equal(
    decideInTreeApi({ resources: [], failures }),
    'discovery of storagemigration.k8s.io/v1beta1 failed: no answer',
  )
})

test('--in-tree: v1alpha1 also names a version of the resource', () => {
  const lamps = { group: 'light.example.dev', resource: 'lamps', versionName: 'v2' }
  const specOf = (versionName: string) => {
    const api = decideInTreeApi({ resources: [served(versionName)], failures: [] })
    return typeof api === 'string' ? api : inTreeSpec(api, lamps)
  }
  assert.deepEqual(specOf('v1beta1'), { resource: { group: 'light.example.dev', resource: 'lamps' } })
  assert.deepEqual(specOf('v1alpha1'), {
    resource: { group: 'light.example.dev', version: 'v2', resource: 'lamps' },
  })
})

const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']
const resources: ReadonlyArray<
  [group: string, resource: string, verbs: readonly string[], want: RegExp | undefined]
> = [
  ['light.example.dev', 'lamps', verbs, undefined],
  ['', 'events', verbs, /would try events for ever/],
  ['events.k8s.io', 'events', verbs, /for ever/],
  ['light.example.dev', 'events', verbs, undefined],
  ['light.example.dev', 'lamps', ['list', 'patch', 'update'], /does not offer watch, delete/],
]
for (const [group, resource, offered, want] of resources) {
  test(`--in-tree: ${resource} in ${group || 'the core group'} with ${offered.length} verbs`, () => {
    const why = whyNotInTree({ group, resource, verbs: offered })
    if (want) assert.match(why ?? '', want)
    else assert.equal(why, undefined)
  })
}

test('--in-tree: only a plan without any doubt lets the migrator start', () => {
  const because = 'because'
  assert.equal(whyPlanForbids({ exit: 'rehearsed', because }), undefined)
  for (const exit of ['incomplete', 'unknown', 'aborted', 'notSeen', 'stopped'] as const)
    assert.match(whyPlanForbids({ exit, because }) ?? '', /^because/)
})
