import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { boltFile, withChecksum } from '../etcd-file/bolt-file-for-test.ts'
import { type Answers, discovery, FakeCluster, ok, refusal } from './fake-cluster-for-test.ts'

const group = 'light.example.dev'
const lamps = `lamps.${group}`
const crds = 'customresourcedefinitions'
const crdPath = `/apis/apiextensions.k8s.io/v1/${crds}`
const plural = [{ name: 'lamps', kind: 'Lamp' }]
const served = discovery([
  { group: '', version: 'v1', resources: [{ name: 'secrets', kind: 'Secret' }] },
  {
    ...{ group: 'apiextensions.k8s.io', version: 'v1' },
    resources: [{ name: crds, kind: 'CustomResourceDefinition' }],
  },
  { group, version: 'v2', resources: plural },
  { group, version: 'v1', resources: plural },
])

const lampCrd = (storedVersions: readonly string[]) => ({
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  metadata: { name: lamps, uid: 'crd', generation: 1, resourceVersion: '5' },
  spec: {
    ...{ group, names: { plural: 'lamps', kind: 'Lamp' }, scope: 'Namespaced' },
    versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v2' })),
  },
  status: { storedVersions, conditions: [{ type: 'Established', status: 'True' }] },
})

/** kube-apiserver with lamps, none of which names a version but by how it is stored. */
const clusterWith =
  (storedVersions: readonly string[], isHelmHidden: boolean): Answers =>
  (method, path, body) => {
    if (path.endsWith('/namespaces/kube-system')) return ok({ metadata: { name: 'kube-system', uid: 'a' } })
    if (path === `${crdPath}/${lamps}`) return ok(lampCrd(storedVersions))
    if (path === crdPath) return ok({ metadata: {}, items: [lampCrd(storedVersions)] })
    if (path.endsWith('/secrets') && isHelmHidden) return refusal(403, 'secrets is forbidden: not you')
    if (/\/(?:secrets|configmaps|lamps)$|configurations$|polic/.test(path))
      return ok({ metadata: {}, items: [] })
    return served(method, path, body)
  }

interface Change {
  readonly key: string
  readonly value: string
}

async function snapshotOf(
  t: TestContext,
  versions: readonly string[],
  more: readonly Change[] = [],
  crdThen: object = lampCrd(['v2']),
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'strata-can-drop-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const lampsIn = versions.map((version, index) => ({
    key: `/registry/${group}/lamps/default/lamp-${index}`,
    value: JSON.stringify({
      apiVersion: `${group}/${version}`,
      kind: 'Lamp',
      metadata: { name: `lamp-${index}` },
    }),
  }))
  const system = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system', uid: 'a' } }
  const crd = {
    key: `/registry/apiextensions.k8s.io/${crds}/${lamps}`,
    value: JSON.stringify(crdThen),
  }
  const changes = [
    { key: '/registry/namespaces/kube-system', value: JSON.stringify(system) },
    crd,
    ...lampsIn,
    ...more,
  ]
  const file = join(directory, 'backup.db')
  await writeFile(file, withChecksum(boltFile(changes)))
  return file
}

interface Row {
  readonly name: string
  /** In which versions the snapshot has lamps; undefined without a snapshot. */
  readonly stored?: readonly string[]
  readonly storedVersions?: readonly string[]
  readonly isHelmHidden?: true
  readonly flags?: readonly string[]
  readonly code: number
  readonly says: RegExp
}

const rows: readonly Row[] = [
  {
    name: 'yes by the stored bytes, which is no proof',
    ...{ stored: ['v2', 'v2'], code: 3 },
    says: /^YES, v1 of lamps\.light\.example\.dev can be removed \(observed clean\): none of 2 stored objects/,
  },
  {
    name: 'yes, as well founded as is asked for',
    ...{ stored: ['v2'], flags: ['--accept', 'observed-clean'], code: 0 },
    says: /^YES, v1 of .*\n\nNote: .*\nNote: v1 of .* is still served[\s\S]*\nNext: remove v1 from spec\.versions/,
  },
  {
    name: 'no, because storedVersions lists it',
    ...{ stored: ['v2'], storedVersions: ['v1', 'v2'], code: 1 },
    says: /^NO, v1 of lamps\.light\.example\.dev cannot be removed yet:[\s\S]*storedVersions/,
  },
  {
    name: 'no, because an object is stored in it, whatever is accepted',
    ...{ stored: ['v1', 'v2'], flags: ['--accept', 'unknown'], code: 1 },
    says: /^NO, [\s\S]*default\/lamp-0/,
  },
  {
    name: 'could not see what is stored, without a store',
    ...{ code: 6 },
    says: /^COULD NOT SEE whether v1 of .*\n {2}stored versions: no API shows/,
  },
  {
    name: 'could not see the releases of Helm',
    ...{ stored: ['v2'], isHelmHidden: true, code: 6 },
    says: /^COULD NOT SEE [\s\S]*\n {2}Helm releases: .*not you/,
  },
]
for (const { name, stored, storedVersions = ['v2'], isHelmHidden = false, flags = [], code, says } of rows) {
  test(`can-drop: ${name}: exit code ${code}`, async (t) => {
    const cluster = await FakeCluster.start(t, clusterWith(storedVersions, isHelmHidden))
    const store = stored === undefined ? [] : ['--etcd-snapshot', await snapshotOf(t, stored)]
    const ran = await cluster.run(['can-drop', lamps, 'v1', ...store, ...flags])
    assert.match(ran.said, says)
    assert.equal(ran.code, code, ran.said)
  })
}

test('can-drop: objects below a prefix of two groups are not absent from the smaller one', async (t) => {
  const group = 'networking.k8s.io'
  const ingresses = [{ name: 'ingresses', kind: 'Ingress' }]
  const built = discovery([
    { group, version: 'v1', resources: ingresses },
    { group, version: 'v1beta1', resources: ingresses },
  ])
  const cluster = await FakeCluster.start(
    t,
    (method, path, body) =>
      (path.startsWith('/api') && /^\/apis?$|networking/.test(path) && built(method, path, body)) ||
      clusterWith(['v2'], false)(method, path, body),
  )
  const versions = ['extensions/v1beta1', 'extensions/v1beta1', `${group}/v1beta1`]
  const more = versions.map((apiVersion, at) => ({
    key: `/registry/ingress/default/${at}`,
    value: JSON.stringify({ apiVersion, kind: 'Ingress', metadata: { name: String(at) } }),
  }))
  const snapshot = await snapshotOf(t, [], more)
  const ran = await cluster.run(['can-drop', `ingresses.${group}`, 'v1beta1', '--etcd-snapshot', snapshot])
  assert.match(ran.said, /^NO, [\s\S]*1 object is stored in v1beta1 \(default\/2\)/)
  assert.equal(ran.code, 1)
})

test('can-drop: a snapshot from before a change of the CRD is too old to say yes', async (t) => {
  const cluster = await FakeCluster.start(t, clusterWith(['v2'], false))
  const crd = lampCrd(['v2'])
  const before = { ...crd, metadata: { ...crd.metadata, generation: 0 } }
  const snapshot = await snapshotOf(t, ['v2'], [], before)
  const ran = await cluster.run(['can-drop', lamps, 'v1', '--etcd-snapshot', snapshot])
  assert.match(ran.said, /^COULD NOT SEE [\s\S]*\n {2}stored versions: snapshot .* its CRD was changed since/)
  assert.equal(ran.code, 6)
})

test('can-drop: several clusters in one table; a store is of one cluster', async (t) => {
  const cluster = await FakeCluster.start(t, clusterWith(['v1', 'v2'], false))
  const ran = await cluster.run(['can-drop', lamps, 'v1', '--contexts', 'c'])
  assert.match(ran.said, /^CONTEXT +RESOURCE +VERSION +CAN BE REMOVED +PROOF\nc +lamps\S+ +v1 +no +-\n/)
  assert.match(ran.said, /^c: lamps\.light\.example\.dev: .*storedVersions/m)
  assert.equal(ran.code, 1, ran.said)
  const store = ['--etcd-snapshot', await snapshotOf(t, ['v2'])]
  await assert.rejects(cluster.run(['can-drop', lamps, 'v1', '--all-contexts', ...store]), {
    exitCode: 2,
    message: /^a store is of one cluster/,
  })
})
