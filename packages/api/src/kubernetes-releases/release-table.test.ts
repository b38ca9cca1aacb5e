import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadReleaseTable, type ReleaseFacts } from './release-table.ts'

const table = await loadReleaseTable()
const minors = Array.from({ length: table.last - table.first + 1 }, (_, index) => table.first + index)

test('the table has Kubernetes 1.19 to 1.37, each with its tag', () => {
  assert.deepEqual([table.first, table.last], [19, 37])
  for (const minor of minors) assert.match(table.tagOf(minor) ?? '', new RegExp(`^v1\\.${minor}\\.\\d+`))
})

/** Known from the release notes of Kubernetes, and from servers that were asked. */
const served: ReadonlyArray<[name: string, apiVersion: string, first: number, last: number]> = [
  ['cronjobs.batch', 'batch/v1beta1', 19, 24],
  ['cronjobs.batch', 'batch/v1', 21, 37],
  ['podsecuritypolicies.policy', 'policy/v1beta1', 19, 24],
  ['poddisruptionbudgets.policy', 'policy/v1beta1', 19, 24],
  ['ingresses.extensions', 'extensions/v1beta1', 19, 21],
  ['ingresses.networking.k8s.io', 'networking.k8s.io/v1beta1', 19, 21],
  ['horizontalpodautoscalers.autoscaling', 'autoscaling/v2beta1', 19, 24],
  ['horizontalpodautoscalers.autoscaling', 'autoscaling/v2beta2', 19, 25],
  ['horizontalpodautoscalers.autoscaling', 'autoscaling/v2', 23, 37],
  ['flowschemas.flowcontrol.apiserver.k8s.io', 'flowcontrol.apiserver.k8s.io/v1beta2', 23, 28],
  ['flowschemas.flowcontrol.apiserver.k8s.io', 'flowcontrol.apiserver.k8s.io/v1beta3', 26, 31],
  ['flowschemas.flowcontrol.apiserver.k8s.io', 'flowcontrol.apiserver.k8s.io/v1', 29, 37],
  ['csistoragecapacities.storage.k8s.io', 'storage.k8s.io/v1beta1', 21, 26],
  ['csistoragecapacities.storage.k8s.io', 'storage.k8s.io/v1', 24, 37],
  ['customresourcedefinitions.apiextensions.k8s.io', 'apiextensions.k8s.io/v1beta1', 19, 21],
  ['resourceclaims.resource.k8s.io', 'resource.k8s.io/v1', 34, 37],
  ['deployments.apps', 'apps/v1', 19, 37],
]
for (const [name, apiVersion, first, last] of served) {
  test(`${name} is served in ${apiVersion} from 1.${first} to 1.${last}`, () => {
    const found = minors.filter((minor) => table.factsOf(name, minor)?.served.includes(apiVersion))
    assert.deepEqual([found[0], found.at(-1), found.length], [first, last, last - first + 1])
  })
}

test('DaemonSets of extensions/v1beta1 are not served, but still read', () => {
  for (const minor of minors) {
    const facts = table.factsOf('daemonsets.apps', minor)
    assert.deepEqual(facts?.served, ['apps/v1'])
    assert.ok(facts.decodable.includes('extensions/v1beta1'))
  }
})

const stored: ReadonlyArray<[name: string, minor: number, apiVersion: string]> = [
  ['cronjobs.batch', 21, 'batch/v1beta1'],
  ['cronjobs.batch', 22, 'batch/v1'],
  ['horizontalpodautoscalers.autoscaling', 26, 'autoscaling/v1'],
  ['horizontalpodautoscalers.autoscaling', 27, 'autoscaling/v2'],
  ['customresourcedefinitions.apiextensions.k8s.io', 37, 'apiextensions.k8s.io/v1beta1'],
  ['events', 36, 'v1'],
  ['storageversionmigrations.storagemigration.k8s.io', 35, 'storagemigration.k8s.io/v1beta1'],
  // A version is stored one release after it appeared, so that the release before can still read.
  ['resourceclaims.resource.k8s.io', 34, 'resource.k8s.io/v1beta2'],
  ['resourceclaims.resource.k8s.io', 35, 'resource.k8s.io/v1'],
]
for (const [name, minor, apiVersion] of stored) {
  test(`1.${minor} stores ${name} in ${apiVersion}`, () =>
    assert.equal(table.factsOf(name, minor)?.stored, apiVersion))
}

const unreadable: ReadonlyArray<[name: string, minor: number, apiVersion: string]> = [
  ['resourceclaims.resource.k8s.io', 34, 'resource.k8s.io/v1alpha3'],
  ['ipaddresses.networking.k8s.io', 34, 'networking.k8s.io/v1alpha1'],
  ['horizontalpodautoscalers.autoscaling', 36, 'autoscaling/v2beta2'],
]
for (const [name, minor, apiVersion] of unreadable) {
  test(`1.${minor} is the first that cannot read ${name} in ${apiVersion}`, () => {
    assert.ok(table.factsOf(name, minor - 1)?.decodable.includes(apiVersion))
    assert.ok(!table.factsOf(name, minor)?.decodable.includes(apiVersion))
  })
}

test('events.events.k8s.io shows the objects of events', () => {
  assert.equal(table.storedName('events.events.k8s.io'), 'events')
  assert.equal(table.storedName('deployments.apps'), 'deployments.apps')
})

const everyResource: readonly [name: string, minor: number, facts: ReleaseFacts][] = table.names.flatMap(
  (name) =>
    minors.flatMap((minor) => {
      const facts = table.factsOf(name, minor)
      return facts && table.storedName(name) === name ? [[name, minor, facts] as const] : []
    }),
)

test('every release reads what it stores and what it serves', () => {
  for (const [name, minor, { stored: version, decodable, served: on, optional }] of everyResource) {
    const what = `${name} in 1.${minor}`
    assert.ok(version !== undefined && decodable.includes(version), what)
    for (const each of [...on, ...optional]) assert.ok(decodable.includes(each), `${what}: ${each}`)
  }
})

test('the release before reads what a release stores, of everything that it serves by default', () => {
  for (const [name, minor, { stored: version = '' }] of everyResource) {
    const before = table.factsOf(name, minor - 1)
    if (!before || before.served.length === 0) continue
    assert.ok(before.decodable.includes(version), `${name}: ${version} of 1.${minor}`)
  }
})
