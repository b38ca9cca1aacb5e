import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import type { Through } from '../support/migration-fleet.ts'
import { holds, ownPath, RunnerFleet, versionedPath } from '../support/runner-fleet.ts'

const manifest = join(import.meta.dirname, '../../examples/migration-runner/rights.yaml')
const paths: Readonly<Record<string, string>> = {
  ServiceAccount: '/api/v1/namespaces/kube-system/serviceaccounts',
  ClusterRole: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  ClusterRoleBinding: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
}

test('runner: Q13, X13: the rights of the example are enough for one with an identity of its own', async () => {
  const fleet = await RunnerFleet.switched('rights', 20)
  for (const document of parseAllDocuments(readFileSync(manifest, 'utf8'))) {
    const object = document.toJS()
    const { status, body } = await fleet.ask('POST', paths[object.kind] ?? '', object)
    assert.equal(status, 201, JSON.stringify(body))
  }
  // Everybody who is known may ask what there is; these fleets have no default roles.
  const rules = [{ nonResourceURLs: ['/api', '/api/*', '/apis', '/apis/*'], verbs: ['get'] }]
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'discovery' },
    rules,
  }
  assert.equal((await fleet.ask('POST', paths.ClusterRole ?? '', role)).status, 201)
  const binding = {
    ...{ ...role, kind: 'ClusterRoleBinding', rules: undefined },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'discovery' },
    subjects: [{ kind: 'ServiceAccount', name: 'strata-migration-runner', namespace: 'kube-system' }],
  }
  assert.equal((await fleet.ask('POST', paths.ClusterRoleBinding ?? '', binding)).status, 201)
  await fleet.pass(3_000)
  const denied: string[] = []
  const asItself: Through = async (request, send) => {
    const name = 'system:serviceaccount:kube-system:strata-migration-runner'
    const answer = await send({ ...request, headers: { ...request.headers, 'impersonate-user': name } })
    if (answer.status === 403) denied.push(`${request.method} ${request.target}`)
    return answer
  }
  const runner = fleet.startRunner('runner', { through: asItself, finishedMigrationTtlMs: 30_000 })
  await fleet.migrateOwn('own')
  await fleet.migrateVersioned('versioned')
  const migration = await fleet.ended(ownPath('own'))
  assert.deepEqual([holds(migration, 'Succeeded'), migration.status.result], [true, 'Proven'])
  await fleet.ended(versionedPath('versioned'))
  await fleet.until('it is removed', async () => (await fleet.ask('GET', ownPath('own'))).status === 404)
  assert.deepEqual(denied, [])
  await runner.stop()
})
