import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operationScope, tagOf, typePackage } from './type-names.ts'

const cases: ReadonlyArray<[group: string, typed: boolean, home: string, tag: string, operation: string]> = [
  ['', true, 'io.k8s.api.core.v1', 'core_v1', 'CoreV1'],
  ['apps', true, 'io.k8s.api.apps.v1', 'apps_v1', 'AppsV1'],
  ['coordination.k8s.io', true, 'io.k8s.api.coordination.v1', 'coordination_v1', 'CoordinationV1'],
  ['rbac.authorization.k8s.io', true, 'io.k8s.api.rbac.v1', 'rbacAuthorization_v1', 'RbacAuthorizationV1'],
  [
    'internal.apiserver.k8s.io',
    true,
    'io.k8s.api.apiserverinternal.v1',
    'internalApiserver_v1',
    'InternalApiserverV1',
  ],
  ['captures.dev', false, 'dev.captures.v1', 'capturesDev_v1', 'CapturesDevV1'],
  ['migration.k8s.io', false, 'io.k8s.migration.v1', 'migration_v1', 'MigrationV1'],
]
for (const [group, typed, home, tag, operation] of cases) {
  test(`type names: of the group "${group}"`, () => {
    const definition = {
      kind: 'K',
      listKind: 'KList',
      plural: 'ks',
      scope: 'Cluster',
      typed,
      versions: {},
    } as const
    const resource = { group, versionName: 'v1', apiVersion: `${group}/v1`, definition }
    assert.deepEqual(
      [typePackage(resource), tagOf(resource), operationScope(resource)],
      [home, tag, operation],
    )
  })
}
