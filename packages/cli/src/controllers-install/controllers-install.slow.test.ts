import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Answers, discovery, FakeCluster, ok, refusal } from '../commands/fake-cluster-for-test.ts'
import { printedRights } from '../rbac/decide-rights.ts'

const workloads = discovery([
  {
    ...{ group: '', version: 'v1' },
    resources: [
      { name: 'namespaces', kind: 'Namespace' },
      { name: 'serviceaccounts', kind: 'ServiceAccount' },
      { name: 'services', kind: 'Service' },
    ],
  },
  {
    ...{ group: 'rbac.authorization.k8s.io', version: 'v1' },
    resources: ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].map((kind) => ({
      ...{ name: `${kind.toLowerCase()}s`, kind },
    })),
  },
  {
    ...{ group: 'networking.k8s.io', version: 'v1' },
    resources: [{ name: 'networkpolicies', kind: 'NetworkPolicy' }],
  },
  {
    ...{ group: 'policy', version: 'v1' },
    resources: [{ name: 'poddisruptionbudgets', kind: 'PodDisruptionBudget' }],
  },
  { group: 'apps', version: 'v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
])

interface Kept {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>
    readonly resourceVersion?: string | undefined
  }
}

/** Applies, reads and deletes as a server does, and notes what it was asked. */
async function start(t: TestContext, answers: Answers = () => undefined) {
  const kept = new Map<string, Kept>()
  const asked: string[] = []
  const cluster = await FakeCluster.start(t, (method, path, body, query) => {
    const discovered = workloads(method, path, body)
    if (discovered !== undefined) return discovered
    asked.push(`${method} ${path}`)
    const other = answers(method, path, body, query)
    if (other !== undefined) return other
    const found = kept.get(path)
    const { metadata, ...rest } = body as unknown as Kept
    if (method === 'PATCH') {
      const { resourceVersion: _, ...before } = (found?.metadata ?? {}) as { resourceVersion?: string }
      const isSame = found !== undefined && JSON.stringify(before) === JSON.stringify(metadata)
      const resourceVersion = isSame ? found.metadata.resourceVersion : String(asked.length)
      const stored = { ...rest, metadata: { ...metadata, resourceVersion } }
      if (query?.get('dryRun') !== 'All') kept.set(path, stored)
      return ok(stored)
    }
    if (found === undefined) return undefined
    const { resourceVersion } = (body as { preconditions?: Kept['metadata'] }).preconditions ?? {}
    if (resourceVersion !== undefined && resourceVersion !== found.metadata.resourceVersion)
      return refusal(409, 'the object has been modified')
    if (method === 'DELETE') kept.delete(path)
    return ok(method === 'DELETE' ? { kind: 'Status', apiVersion: 'v1', status: 'Success' } : found)
  })
  const stop = new AbortController()
  const strata = (...args: readonly string[]) =>
    cluster.run(['controllers', ...args], { signal: stop.signal })
  return { kept, asked, strata, stop }
}

const resultsOf = (said: string): readonly string[] =>
  JSON.parse(said).objects.map((each: { result: string }) => each.result)
const image = ['--image', 'registry.test/strata:1']

test('controllers install: rehearsed, installed, installed again, and uninstalled', async (t) => {
  const { kept, asked, strata } = await start(t)
  const rehearsed = await strata('install', ...image, '--dry-run', '-o', 'json')
  assert.deepEqual([rehearsed.code, kept.size], [0, 0], rehearsed.said)
  assert.deepEqual([...new Set(resultsOf(rehearsed.said))], ['would be created'])
  assert.equal(JSON.parse(rehearsed.said).manifest.length, 10)
  const installed = await strata('install', ...image, '-o', 'json')
  assert.deepEqual([installed.code, kept.size], [0, 10], installed.said)
  assert.deepEqual([...new Set(resultsOf(installed.said))], ['created'])
  const again = await strata('install', ...image, '-o', 'json')
  assert.deepEqual([again.code, ...new Set(resultsOf(again.said))], [0, 'unchanged'], again.said)

  kept.set('/api/v1/namespaces/strata/services/other', { metadata: {} })
  const service = '/api/v1/namespaces/strata/services/strata-controllers'
  kept.set(service, { metadata: { labels: { 'app.kubernetes.io/managed-by': 'Helm' } } })
  await assert.rejects(strata('uninstall'), { exitCode: 2, message: /give --yes or --dry-run/ })
  const gone = await strata('uninstall', '--yes')
  assert.equal(gone.code, 0, gone.said)
  assert.match(gone.said, /^Service +strata +strata-controllers +left alone +it belongs to a Helm release/m)
  assert.deepEqual([...kept.keys()].sort(), [
    '/api/v1/namespaces/strata',
    '/api/v1/namespaces/strata/services/other',
    service,
  ])
  assertCovered(asked)
})

/** Every request is one that the printed rights allow. */
function assertCovered(asked: readonly string[]): void {
  const rights = printedRights(
    ['controllers install', 'controllers uninstall'].flatMap((each) => each.split(' ')),
  )
  const verbs: Readonly<Record<string, string>> = { GET: 'get', PATCH: 'patch', DELETE: 'delete' }
  for (const each of asked) {
    const [, method = '', group = '', namespace, resource = 'namespaces', name = ''] =
      /^(\w+) \/(?:api|apis\/([^/]+))\/v1(?:\/namespaces\/([^/]+)(?=\/[^/]+\/))?\/([^/]+)\/([^/]+)$/.exec(
        each,
      ) ?? []
    const isGranted = rights.some(
      (right) =>
        right.verb === verbs[method] &&
        right.group === group &&
        right.resource === resource &&
        (right.name === undefined || right.name === name) &&
        (right.namespace === undefined || right.namespace === namespace),
    )
    assert.ok(isGranted, each)
  }
  const used = (verb: string) => asked.some((each) => verbs[each.split(' ')[0] ?? ''] === verb)
  for (const verb of ['get', 'patch', 'delete']) assert.ok(used(verb), verb)
}

test('controllers install: what others have installed is left alone, before anything is written', async (t) => {
  const { kept, asked, strata } = await start(t)
  const role = '/apis/rbac.authorization.k8s.io/v1/clusterroles/strata-controllers'
  kept.set(role, { metadata: { labels: { 'app.kubernetes.io/managed-by': 'Helm' } } })
  const { code, said } = await strata('install', ...image)
  assert.equal(code, 1, said)
  assert.match(said, /^ClusterRole +- +strata-controllers +refused +it belongs to a Helm release/m)
  assert.ok(asked.every((each) => each.startsWith('GET ')))
})

test('controllers install: the first refusal ends it, and is named', async (t) => {
  const { strata } = await start(t, (method, path) =>
    method === 'PATCH' && path.includes('/clusterroles/')
      ? refusal(403, 'clusterroles "strata-controllers" is forbidden: attempting to grant RBAC permissions')
      : undefined,
  )
  const { code, said } = await strata('install', ...image, '-o', 'json')
  assert.equal(code, 1, said)
  assert.deepEqual(resultsOf(said), [
    ...['created', 'created', 'refused'],
    ...Array.from({ length: 7 }, () => 'not done'),
  ])
  assert.match(said, /attempting to grant RBAC permissions/)
})

test('controllers install: a cluster without workloads is named as such', async (t) => {
  const cluster = await FakeCluster.start(
    t,
    discovery([{ group: '', version: 'v1', resources: [{ name: 'namespaces', kind: 'Namespace' }] }]),
  )
  await assert.rejects(cluster.run(['controllers', 'install', ...image]), {
    exitCode: 5,
    message: /does not serve .*Deployment \(apps\/v1\): no workload can run in it/,
  })
})

test('controllers uninstall: what Helm has taken over since the question is left alone; what only has another status goes', async (t) => {
  const service = '/api/v1/namespaces/strata/services/strata-controllers'
  const deployment = '/apis/apps/v1/namespaces/strata/deployments/strata-controllers'
  let isLate = false
  const { kept, strata } = await start(t, (method) => {
    if (method !== 'DELETE' || isLate) return undefined
    isLate = true
    const labelled = (owner: string, resourceVersion: string) => ({
      metadata: { labels: { 'app.kubernetes.io/managed-by': owner }, resourceVersion },
    })
    kept.set(service, labelled('Helm', 'later'))
    kept.set(deployment, labelled('strata', 'later'))
    return undefined
  })
  await strata('install', ...image)
  const { code, said } = await strata('uninstall', '--yes')
  assert.equal(code, 0, said)
  assert.match(said, /^Service +strata +strata-controllers +left alone +it belongs to a Helm release/m)
  assert.deepEqual([...kept.keys()].sort(), ['/api/v1/namespaces/strata', service])
})

for (const [command, method, answered, last] of [
  ['install', 'PATCH', ['created', 'created'], 'not done'],
  // The namespace stays.
  ['uninstall', 'DELETE', ['deleted', 'deleted'], 'left alone'],
] as const) {
  test(`controllers ${command}: stopped by Ctrl-C, it says what was written, what may be, and what was not`, async (t) => {
    let isInstalled = command === 'install'
    let count = 0
    const { strata, stop } = await start(t, (asked) => {
      if (!isInstalled || asked !== method || ++count < 3) return undefined
      stop.abort()
      return 'hang'
    })
    if (!isInstalled) await strata('install', ...image)
    isInstalled = true
    const args = command === 'install' ? image : ['--yes']
    const { code, said } = await strata(command, ...args, '-o', 'json')
    assert.equal(code, 130, said)
    const rest = Array.from({ length: 6 }, () => 'not done')
    assert.deepEqual(resultsOf(said), [...answered, 'unknown', ...rest, last])
  })
}
