import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { boltFile, withChecksum } from '../etcd-file/bolt-file-for-test.ts'
import { type Answers, discovery, FakeCluster, ok, refusal } from './fake-cluster-for-test.ts'

const served = discovery([{ group: '', version: 'v1', resources: [{ name: 'secrets', kind: 'Secret' }] }])
/** A cluster with these namespaces, by their uids. */
const clusterOf =
  (uids: Readonly<Record<string, string>>): Answers =>
  (method, path, body) => {
    const [, name] = /\/namespaces\/([\w-]+)$/.exec(path) ?? []
    const uid = name === undefined ? undefined : uids[name]
    if (uid === 'hidden') return refusal(403, 'namespaces is forbidden: not you')
    if (uid !== undefined) return ok({ metadata: { name, uid } })
    if (/\/secrets$|configurations$|polic/.test(path)) return ok({ metadata: {}, items: [] })
    return served(method, path, body)
  }

async function snapshotOf(t: TestContext, uids: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'strata-inspect-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const value = (kind: string, uid: string) =>
    JSON.stringify({ kind, apiVersion: 'v1', metadata: { name: 'a', uid } })
  const namespaces = Object.entries(uids).map(([name, uid]) => ({
    key: `/registry/namespaces/${name}`,
    value: value('Namespace', uid),
  }))
  const changes = [...namespaces, { key: '/registry/secrets/a/a', value: value('Secret', 's') }]
  const file = join(directory, 'backup.db')
  await writeFile(file, withChecksum(boltFile(changes)))
  return file
}

type Uids = Readonly<Record<string, string>>
const cases: readonly [name: string, store: Uids, cluster: Uids, text: RegExp | undefined][] = [
  ['kube-system', { 'kube-system': 'a' }, { 'kube-system': 'a' }, undefined],
  ['no kube-system in the store, the same default', { default: 'a' }, { default: 'a' }, undefined],
  [
    'no namespace in the store',
    {},
    { 'kube-system': 'a' },
    /Could not see whether the store is this cluster's: no namespace and no CRD in it can be read.*\(secrets\)/,
  ],
  [
    'kube-system may not be read',
    { 'kube-system': 'a' },
    { 'kube-system': 'hidden' },
    /whether the store is this cluster's: not allowed: not you/,
  ],
  [
    'a namespace that the cluster does not have',
    { shop: 'a' },
    { 'kube-system': 'a' },
    /whether the store is this cluster's: the cluster has none of what is in it, such as namespace shop,/,
  ],
]
for (const [name, store, uids, text] of cases) {
  test(`inspect with a store: ${name}`, async (t) => {
    const cluster = await FakeCluster.start(t, clusterOf(uids))
    const snapshot = await snapshotOf(t, store)
    const ran = await cluster.run(['inspect', 'secrets', '--etcd-snapshot', snapshot])
    if (!text) {
      assert.doesNotMatch(ran.said, /whether the store/)
      return
    }
    assert.match(ran.said, text)
    assert.equal(ran.code, 6)
  })
}

test('inspect with a store of another cluster is refused; can-drop never says yes beside a doubtful store', async (t) => {
  const cluster = await FakeCluster.start(t, clusterOf({ 'kube-system': 'a' }))
  const other = await snapshotOf(t, { 'kube-system': 'b' })
  await assert.rejects(cluster.run(['inspect', 'secrets', '--etcd-snapshot', other]), {
    exitCode: 2,
    message:
      /is of another cluster than the kubeconfig context: its namespace kube-system has the uid b, and/,
  })
  const offline = { message: /name its cluster with --context, or add --offline$/ }
  await assert.rejects(cluster.run(['inspect', 'secrets', '--etcd-snapshot', other]), offline)
  const rotated = cluster.run(['rotate-keys', 'secrets', '--dry-run', '--etcd-snapshot', other])
  // It has no --offline.
  await assert.rejects(rotated, { exitCode: 2, message: /name its cluster with --context$/ })
  const doubtful = await snapshotOf(t, {})
  const ran = await cluster.run(['can-drop', 'secrets', 'v1', '--etcd-snapshot', doubtful])
  assert.doesNotMatch(ran.said, /\byes\b/i)
})

test('inspect: several clusters in one table; a store is of one cluster', async (t) => {
  const cluster = await FakeCluster.start(t, clusterOf({ 'kube-system': 'a' }))
  const ran = await cluster.run(['inspect', 'secrets', '--contexts', 'c'])
  assert.equal(ran.code, 6, ran.said)
  assert.match(ran.said, /^CONTEXT +RESOURCE +STORAGE +STORED.*\nc +secrets /)
  assert.match(ran.said, /^c: secrets: stored versions: no API shows what is stored/m)
  const snapshot = await snapshotOf(t, {})
  for (const flags of [['--offline'], ['--etcd-snapshot', snapshot]])
    await assert.rejects(cluster.run(['inspect', '--all-contexts', ...flags]), {
      exitCode: 2,
      message: /^a store is of one cluster: give --contexts or --all-contexts without/,
    })
})
