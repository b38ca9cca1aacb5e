import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideObjects, managedBy, type Standing, whyForeign } from './decide-objects.ts'
import manifest from './manifest.json' with { type: 'json' }

test('installed objects: in the namespace and with the image that were given; Leases stay in kube-system', () => {
  const objects = decideObjects(manifest, { namespace: 'storage', image: 'a/b:1' })
  const places = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? '-'}/${metadata.name}`)
  assert.deepEqual(places, [
    'Namespace -/storage',
    'ServiceAccount storage/strata-controllers',
    'ClusterRole -/strata-controllers',
    'ClusterRoleBinding -/strata-controllers',
    'Role kube-system/strata-controllers',
    'RoleBinding kube-system/strata-controllers',
    'Service storage/strata-controllers',
    'NetworkPolicy storage/strata-controllers',
    'PodDisruptionBudget storage/strata-controllers',
    'Deployment storage/strata-controllers',
  ])
  const text = JSON.stringify(objects)
  assert.deepEqual(text.match(/"image":"[^"]*"/g), ['"image":"a/b:1"'])
  assert.equal(
    text.match(/"kind":"ServiceAccount","name":"strata-controllers","namespace":"storage"/g)?.length,
    2,
  )
})

const own = { [managedBy]: 'strata' }
const rows: readonly [what: string, standing: Standing, want: RegExp | undefined][] = [
  ['its own', { labels: own }, undefined],
  ['of Helm', { labels: { [managedBy]: 'Helm' } }, /Helm release: use helm/],
  ['made by another client, without labels', { labels: undefined }, /others have created it/],
  ['of another tool', { labels: { [managedBy]: 'argo' } }, /belongs to argo/],
  ['a binding of the same namespace', { labels: own, subjects: [{ namespace: 'storage' }] }, undefined],
  ['a binding of another namespace', { labels: own, subjects: [{ namespace: 'a' }] }, /give --namespace a$/],
]
for (const [what, standing, want] of rows) {
  test(`installed objects: ${what}`, () => {
    const why = whyForeign(standing, { namespace: 'storage' })
    if (want === undefined) assert.equal(why, undefined)
    else assert.match(why ?? '', want)
  })
}
