import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Answers, discovery, FakeCluster, ok, refusal } from '../commands/fake-cluster-for-test.ts'

const name = 'lamps.light.example.dev'
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const lamps = '/apis/light.example.dev/v1/lamps'
const served = discovery([
  {
    ...{ group: 'apiextensions.k8s.io', version: 'v1' },
    resources: [{ name: 'customresourcedefinitions', kind: 'CustomResourceDefinition' }],
  },
  { group: 'light.example.dev', version: 'v1', resources: [{ name: 'lamps', kind: 'Lamp' }] },
])
const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

/** A cluster with three lamps that name v1alpha1, which the CRD does not have; `guarded` can be neither written nor cleaned. */
async function begin(t: TestContext, { changes = false } = {}) {
  const entry = (version: string) => ({
    ...{ apiVersion: `light.example.dev/${version}`, manager: 'gitops', operation: 'Apply' },
    ...{ fieldsType: 'FieldsV1', fieldsV1: {} },
  })
  const stored = new Map(
    ['a', 'b', 'guarded'].map((each) => [each, { fields: [entry('v1alpha1'), entry('v1')], revision: 1 }]),
  )
  const writes: string[] = []
  let isListed = false
  const definition = () => ({
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name, uid: 'u', generation: changes && isListed ? 3 : 2, resourceVersion: '5' },
    spec: {
      ...{ group: 'light.example.dev', scope: 'Namespaced', names: { plural: 'lamps', kind: 'Lamp' } },
      versions: [{ name: 'v1', served: true, storage: true }],
    },
    status: { storedVersions: ['v1'], conditions: [{ type: 'Established', status: 'True' }] },
  })
  const objectOf = (each: string) => {
    const { fields = [], revision } = stored.get(each) ?? {}
    return {
      metadata: {
        ...{
          name: each,
          namespace: 'n',
          uid: each,
          resourceVersion: String(revision),
          managedFields: fields,
        },
      },
    }
  }
  const answers: Answers = (method, path, body) => {
    if (path === reviews) return ok({ ...body, status: { allowed: true } })
    if (method !== 'GET') writes.push(`${method} ${path}`)
    if (path === crds)
      return ok({ kind: 'CustomResourceDefinitionList', metadata: {}, items: [definition()] })
    if (path === `${crds}/${name}`) return ok(definition())
    if (path === lamps) isListed = true
    if (path === lamps)
      return ok({
        kind: 'LampList',
        metadata: { resourceVersion: '9' },
        items: [...stored.keys()].map(objectOf),
      })
    const [, lamp = ''] = /\/namespaces\/n\/lamps\/(\w+)$/.exec(path) ?? []
    const found = stored.get(lamp)
    if (found === undefined || method !== 'PATCH') return served(method, path, body)
    if (lamp === 'guarded') return refusal(403, 'admission webhook "guard" denied the request')
    const { metadata } = body as unknown as { metadata: { managedFields: typeof found.fields } }
    stored.set(lamp, { fields: metadata.managedFields, revision: found.revision + 1 })
    return ok(objectOf(lamp))
  }
  const cluster = await FakeCluster.start(t, answers)
  const run = async (...args: string[]) => {
    const ran = await cluster.run([...args, '-o', 'json'])
    return { ...ran, writes: writes.splice(0) }
  }
  const clean = async (...flags: string[]) => {
    const { said, ...ran } = await run('clean-managed-fields', name, ...flags)
    return { ...ran, report: said === '' ? undefined : JSON.parse(said).definitions[0] }
  }
  return { run, clean }
}

test('clean-managed-fields: nothing is written on a weaker verdict than is accepted', async (t) => {
  const { clean } = await begin(t)
  const { code, report, writes } = await clean('--yes')
  assert.deepEqual([code, report.result, report.verdict, writes], [1, 'refused', 'observed clean', []])
  assert.match(report.next, /^strata clean-managed-fields \S+ --accept observed-clean/)
})

test('clean-managed-fields: what is refused is named, and the next run goes on with it', async (t) => {
  const { clean } = await begin(t)
  const first = await clean('--yes', '--accept', 'observed-clean')
  assert.deepEqual([first.code, first.report.result, first.report.cleaned], [1, 'incomplete', 2])
  assert.deepEqual(first.report.failures, [
    { object: 'n/guarded', result: 'failed', because: 'admission webhook "guard" denied the request' },
  ])
  assert.match(first.warned, /v1alpha1 +gitops +Apply +- +3/)
  const second = await clean('--yes', '--accept', 'observed-clean')
  assert.deepEqual([second.code, second.report.affected, second.report.cleaned], [1, 1, 0])
  assert.deepEqual(second.writes, ['PATCH /apis/light.example.dev/v1/namespaces/n/lamps/guarded'])
})

test('clean-managed-fields: a CRD that changes meanwhile stops it before the next write', async (t) => {
  const { clean } = await begin(t, { changes: true })
  const { code, report, writes } = await clean('--yes', '--accept', 'observed-clean')
  assert.deepEqual([code, report.result, report.exit, writes], [4, 'stopped', 'aborted', []])
})

test('clean-managed-fields: a served version is refused; without a terminal it needs --yes', async (t) => {
  const { clean, run } = await begin(t)
  const { code, report, writes } = await clean('--yes', '--version', 'v1', '--accept', 'observed-clean')
  assert.deepEqual([code, report.because, writes], [1, 'v1 is still served: managers still apply in it', []])
  await assert.rejects(run('clean-managed-fields', name), /give --yes or --dry-run/)
})

test('verify: it sends no write', async (t) => {
  const { run } = await begin(t)
  const seen = await run('verify', name)
  assert.deepEqual([seen.code, seen.writes], [6, []], seen.said)
})

test('migrate, plan: objects that lose all managedFields are counted before the first write, and a command keeps them', async (t) => {
  // Here a patch without managedFields drops them, so that 3 can only be counted before.
  const planned = await (await begin(t)).run('plan', name)
  const dropped = { objects: 3, versions: ['v1alpha1'] }
  assert.deepEqual(JSON.parse(planned.said).resources[0].droppedOwnership, dropped)
  const migrated = await (await begin(t)).run('migrate', name)
  const why =
    'managedFields of 3 objects name v1alpha1, which the CRD no longer has: kube-apiserver drops all managedFields of such an object when it is written.'
  assert.ok(migrated.warned.startsWith(`${name}: ${why}`), migrated.warned)
  const command =
    /first run: strata clean-managed-fields lamps\.light\.example\.dev --accept observed-clean --kube/
  assert.match(migrated.warned, command)
  assert.deepEqual(JSON.parse(migrated.said).resources[0].droppedOwnership, dropped)
})
