import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answers, discovery, FakeCluster, ok } from './fake-cluster-for-test.ts'

const name = 'lamps.light.example.dev'
const plain = discovery([
  {
    ...{ group: 'light.example.dev', version: 'v2' },
    resources: [
      { name: 'lamps', kind: 'Lamp' },
      { name: 'bulbs', kind: 'Bulb' },
    ],
  },
])

/** A cluster of another make with a CRD, where the user has these verbs. */
function clusterWith(
  verbs: readonly string[],
  asked: string[] = [],
  storedVersions: (plural: string) => readonly string[] = () => ['v1', 'v2'],
): Answers {
  return (method, path, body) => {
    asked.push(`${method} ${path}`)
    const { spec } = body as { spec?: { resourceAttributes?: { verb: string } } }
    if (path.endsWith('/selfsubjectaccessreviews')) {
      const allowed = verbs.includes(spec?.resourceAttributes?.verb ?? '')
      return ok({ metadata: {}, spec, status: { allowed } })
    }
    const [, plural] = /\/customresourcedefinitions\/(\w+)\.light/.exec(path) ?? []
    if (plural !== undefined) {
      return ok({
        metadata: { name: `${plural}.light.example.dev`, uid: 'u', generation: 2 },
        spec: {
          group: 'light.example.dev',
          names: { plural, kind: plural === 'lamps' ? 'Lamp' : 'Bulb' },
          versions: [{ name: 'v2', storage: true, served: true }],
        },
        status: {
          conditions: [{ type: 'Established', status: 'True' }],
          storedVersions: storedVersions(plural),
        },
      })
    }
    if (path === '/api/v1/namespaces/kube-system') return ok({ metadata: { uid: 'k' } })
    if (/\/(?:lamps|bulbs)$/.test(path)) return ok({ metadata: {}, items: [] })
    return plain(method, path, body)
  }
}

test('migrate: without the right to patch it ends at once, before it waits or lists', async (t) => {
  const asked: string[] = []
  const cluster = await FakeCluster.start(t, clusterWith(['get', 'list'], asked))
  const { code, said, warned } = await cluster.run(['migrate', name])
  assert.equal(code, 5)
  assert.match(
    said,
    /^lamps\.light\.example\.dev: not allowed: the user of this kubeconfig context lacks patch of lamps\.light\.example\.dev \(in all namespaces\); an administrator can grant what "strata rbac migrate lamps\.light\.example\.dev" prints$/m,
  )
  assert.doesNotMatch(warned, /waiting/)
  assert.deepEqual(
    asked.filter((each) => each.endsWith('/lamps')),
    [],
  )
})

test('migrate --all: a right that is missing everywhere is one line', async (t) => {
  const cluster = await FakeCluster.start(t, clusterWith(['get', 'list']))
  const { code, said } = await cluster.run(['migrate', '--all'])
  assert.equal(code, 5)
  assert.equal(said.match(/not allowed/g)?.length, 1, said)
  assert.match(
    said,
    /^bulbs\.light\.example\.dev, lamps\.light\.example\.dev: not allowed: .* lacks patch of /m,
  )
})

test('migrate: two resources wait at the same time, and one line says so', async (t) => {
  const cluster = await FakeCluster.start(t, clusterWith(['get', 'list', 'patch']))
  const { code, said, warned } = await cluster.run(['migrate', '--all', '--accept', 'observed-clean'])
  assert.equal(code, 0, said)
  assert.equal(warned.match(/waiting \d+s before the first write/g)?.length, 1, warned)
  assert.equal(said.match(/observed clean/g)?.length, 2)
  const again = await cluster.run(['migrate', '--all'])
  assert.equal(again.code, 3)
  assert.doesNotMatch(
    again.said,
    /waiting/,
    'the record of the first run has waited for this state of the CRD',
  )
})

test('migrate: where nothing tells the cluster from another one, nothing is stored about it', async (t) => {
  const answers = clusterWith(['get', 'list', 'patch'])
  const cluster = await FakeCluster.start(t, (method, path, body) =>
    path.endsWith('/kube-system') ? undefined : answers(method, path, body),
  )
  for (let run = 0; run < 2; run++) {
    const { code, said, warned } = await cluster.run(['migrate', name])
    assert.equal(code, 3, said)
    assert.match(
      warned,
      /no progress is stored, because nothing tells this cluster from another one at http:/,
    )
    assert.match(warned, /waiting \d+s before the first write/, 'it knows of no earlier run')
  }
})

test('migrate: the old name of --concurrency works, and both together are a mistake', async (t) => {
  const cluster = await FakeCluster.start(t, clusterWith(['get', 'list', 'patch']))
  const { code, said } = await cluster.run(['migrate', name, '--parallelism', '1', '--qps', '100'])
  assert.equal(code, 3, said)
  const both = cluster.run(['migrate', name, '--parallelism', '1', '--concurrency', '2'])
  await assert.rejects(both, { exitCode: 2, message: /old name of --concurrency/ })
})

test('migrate --all: leaves alone a CRD that lists no other stored version, and says so', async (t) => {
  const storedIn = (plural: string) => (plural === 'bulbs' ? ['v2'] : ['v1', 'v2'])
  const cluster = await FakeCluster.start(t, clusterWith(['get', 'list', 'patch'], [], storedIn))
  const { code, said } = await cluster.run(['migrate', '--all'])
  assert.equal(code, 3, said)
  assert.match(said, /^lamps\.\S+ +observed clean /m)
  assert.match(said, /^1 custom resource left alone: the CRD lists no other stored version\./m)
  const all = await cluster.run(['migrate', '--all', '--include-current', '-o', 'json'])
  const reports: { resource: string; outcome: string }[] = JSON.parse(all.said).resources
  assert.deepEqual(
    reports.map(({ outcome }) => outcome),
    ['succeeded', 'succeeded'],
  )
})
