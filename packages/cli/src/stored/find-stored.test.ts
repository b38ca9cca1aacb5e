import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findStored } from './find-stored.ts'
import { StoreTally } from './store-tally.ts'

const sealed = 'k8s:enc:aesgcm:v1:k:x'
const isIn = (...apiVersions: readonly string[]) => apiVersions.map((apiVersion) => ({ apiVersion }))
const served = [
  { group: 'networking.k8s.io', resource: 'ingresses' },
  { group: 'networking.internal.knative.dev', resource: 'ingresses' },
  { group: 'networking.k8s.io', resource: 'ipaddresses' },
]
const [ingresses, knative, ipAddresses] = served
type Values = readonly (string | object)[]
type Found = readonly [prefix: string | undefined, count: number, doubt?: RegExp]

const cases: ReadonlyArray<
  [name: string, at: string, values: Values, asked: { group: string; resource: string } | undefined, Found]
> = [
  [
    'most objects are of another group that shares the prefix',
    'ingress',
    isIn('extensions/v1beta1', 'extensions/v1beta1', 'networking.k8s.io/v1beta1'),
    ingresses,
    ['ingress', 3],
  ],
  [
    'all objects are of another group that shares the prefix',
    'deployments',
    isIn('extensions/v1beta1'),
    { group: 'apps', resource: 'deployments' },
    ['deployments', 1],
  ],
  [
    'events lie in the core group',
    'events',
    isIn('v1'),
    { group: 'events.k8s.io', resource: 'events' },
    ['events', 1],
  ],
  [
    'encrypted, and several groups serve the plural',
    'ingress',
    [sealed],
    ingresses,
    ['ingress', 1, /several groups may have ingresses, and the key ingress does not tell which/],
  ],
  ['encrypted, and one group serves the plural', 'ipaddresses', [sealed], ipAddresses, ['ipaddresses', 1]],
  [
    'encrypted, and nothing serves the plural',
    'jobs',
    [sealed],
    { group: 'batch', resource: 'jobs' },
    ['jobs', 1, /several groups/],
  ],
  [
    'a custom resource',
    'networking.internal.knative.dev/ingresses',
    isIn('a/v1'),
    knative,
    ['networking.internal.knative.dev/ingresses', 1],
  ],
  [
    'objects of a group that shares no prefix with it',
    'jobs',
    isIn('batch/v1'),
    { group: 'jobs.example.dev', resource: 'jobs' },
    [undefined, 0, /jobs holds objects of batch\/v1/],
  ],
  [
    'a plural of the core group in a group of an aggregated server',
    'pods',
    isIn('v1'),
    { group: 'metrics.k8s.io', resource: 'pods' },
    [undefined, 0],
  ],
  ['the core group', 'minions', isIn('v1'), { group: '', resource: 'nodes' }, ['minions', 1]],
  ['nothing is stored', 'pods', isIn('v1'), { group: 'apps', resource: 'deployments' }, [undefined, 0]],
]
for (const [name, at, values, asked, [prefix, count, doubt]] of cases) {
  test(`find stored objects: ${name}`, async () => {
    assert.ok(asked)
    const found = await find(at, values, asked)
    assert.deepEqual([found.stored?.prefix, found.stored?.count ?? 0], [prefix, count])
    if (doubt) assert.match(found.doubt ?? '', doubt)
    else assert.equal(found.doubt, undefined)
  })
}

test('find stored objects: those of a built-in kind are not those of a custom resource of that plural', async () => {
  assert.ok(knative)
  assert.deepEqual(await find('ingress', [sealed], knative, true), {})
})

test('find stored objects: a CRD in the store keeps a group apart from the built-in one', async () => {
  assert.ok(ingresses && knative)
  const spec = { group: knative.group, names: { plural: knative.resource }, versions: [] }
  const tally = new StoreTally({ root: '/registry', served })
  await tally.add(entry('ingress', sealed))
  const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', spec }
  await tally.add(entry('apiextensions.k8s.io/customresourcedefinitions', definition))
  const found = findStored(tally.resources(), ingresses, false)
  assert.deepEqual([found.stored?.group, found.doubt], [ingresses.group, undefined])
})

async function find(
  at: string,
  values: Values,
  asked: { group: string; resource: string },
  isCustom = asked === knative,
): Promise<ReturnType<typeof findStored>> {
  const tally = new StoreTally({ root: '/registry', served })
  for (const value of values) await tally.add(entry(at, value))
  return findStored(tally.resources(), asked, isCustom)
}

const entry = (at: string, value: string | object) => ({
  key: `/registry/${at}/default/a`,
  value: Buffer.from(typeof value === 'string' ? value : JSON.stringify({ kind: 'A', ...value }), 'latin1'),
})
