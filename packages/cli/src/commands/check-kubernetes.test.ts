import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answers, discovery, FakeCluster, ok } from './fake-cluster-for-test.ts'

const name = 'lamps.light.example.dev'
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const crd = {
  metadata: { name, uid: 'u', generation: 1, resourceVersion: '1' },
  spec: {
    ...{ group: 'light.example.dev', scope: 'Cluster', names: { plural: 'lamps', kind: 'Lamp' } },
    versions: [{ name: 'v1', served: true, storage: true }],
  },
  status: { storedVersions: ['v1'], conditions: [{ type: 'Established', status: 'True' }] },
}
const served = discovery([
  {
    group: '',
    version: 'v1',
    resources: ['configmaps', 'secrets'].map((each) => ({ name: each, kind: 'X' })),
  },
  { group: 'apps', version: 'v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
  {
    ...{ group: 'apiextensions.k8s.io', version: 'v1' },
    resources: [{ name: 'customresourcedefinitions', kind: 'CustomResourceDefinition' }],
  },
  { group: 'light.example.dev', version: 'v1', resources: [{ name: 'lamps', kind: 'Lamp' }] },
  {
    ...{ group: 'metrics.example.dev', version: 'v1' },
    resources: ['nodes', 'pods'].map((each) => ({ name: each, kind: 'X' })),
  },
])
/** kube-apiserver 1.36.4, as far as a check asks it. */
const kubernetes: Answers = (method, path, body) => {
  if (path === '/version') return ok({ gitVersion: 'v1.36.4', major: '1', minor: '36' })
  if (path === crds) return ok({ kind: 'CustomResourceDefinitionList', metadata: {}, items: [crd] })
  return served(method, path, body)
}

test('check --to 1.37 on Kubernetes 1.36.4: a row for each step, and one line for what could not be seen', async (t) => {
  const cluster = await FakeCluster.start(t, kubernetes)
  const { code, said } = await cluster.run(['check', '--to', '1.37'])
  assert.equal(code, 6, said)
  assert.deepEqual(said.split('\n').slice(0, 7), [
    'The cluster runs v1.36.4. The way: 1.36 → 1.37.',
    'STEP   READS ALL   BACK TO 1.36   NO LONGER SERVED',
    '1.37   yes         yes            -',
    '',
    'Could not see (-v lists all): nodes.metrics.example.dev, pods.metrics.example.dev: what the target can read is not known: give --decodable RESOURCE=…',
    '',
    'Could not see whether 1.37 can read 2 of 7 resources (by the releases that the cluster has been at; no server read the store). Do not take this for safe.',
  ])
  assert.equal(said.match(/^Could not see \(/gm)?.length, 1)
})

const codes: ReadonlyArray<[args: readonly string[], code: number]> = [
  [['--to', '1.37', 'deployments.apps', 'lamps'], 0],
  [['--to', '1.44'], 7],
]
for (const [args, want] of codes) {
  test(`check ${args.join(' ')} on Kubernetes 1.36.4: exit code ${want}`, async (t) => {
    const cluster = await FakeCluster.start(t, kubernetes)
    const { code, said } = await cluster.run(['check', ...args])
    assert.equal(code, want, said)
  })
}

test('check --to 1.37 without the right to list CRDs: the missing right is the reason, and not the target', async (t) => {
  const cannot = 'User "jane" cannot list resource "customresourcedefinitions" at the cluster scope'
  const cluster = await FakeCluster.start(t, (method, path, body) =>
    path === crds ? forbidden(cannot) : kubernetes(method, path, body),
  )
  const { code, said } = await cluster.run(['check', '--to', '1.37'])
  assert.equal(code, 6, said)
  const [folded] = /^Could not see \(.*lamps.*$/m.exec(said) ?? []
  assert.match(
    folded ?? '',
    /: CRDs could not be listed \(User "jane" cannot list .*"strata rbac check" prints$/,
  )
  assert.doesNotMatch(said, /give --decodable/)
})

const forbidden = (why: string): ReturnType<Answers> => ({
  ...{ code: 403 },
  body: {
    ...{ kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden' },
    message: `customresourcedefinitions.apiextensions.k8s.io is forbidden: ${why}`,
  },
})
