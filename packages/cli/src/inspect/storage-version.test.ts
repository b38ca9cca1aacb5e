import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storageVersionHash } from '@strata/api'
import { loadReleaseTable } from '@strata/api/kubernetes-releases'
import { storageOf } from './storage-version.ts'

const release = { table: await loadReleaseTable(), minor: 36 }
const crds = {
  ...{ group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' },
  ...{ kind: 'CustomResourceDefinition', versionName: 'v1' },
}
const hashOf = (version: string) => storageVersionHash(`apiextensions.k8s.io/${version}`, crds.kind)

test('inspect: a hash of a version that is not served is named by the table of releases', () => {
  const target = { how: 'discovery', hash: hashOf('v1beta1') } as const
  const source = 'storage version hash in discovery'
  assert.deepEqual(storageOf(crds, undefined, target, [crds], release), { version: 'v1beta1', source })
  assert.equal(storageOf(crds, undefined, target, [crds], undefined), undefined)
  // A hash that the release does not explain is not overruled by what the release does by default.
  const strange = { how: 'discovery', hash: hashOf('v7') } as const
  assert.equal(storageOf(crds, undefined, strange, [crds], release), undefined)
})

test('inspect: without a hash the table of releases says what a built-in resource is written in', () => {
  const target = { how: 'unpublished' } as const
  const source = 'table of Kubernetes releases: 1.36'
  assert.deepEqual(storageOf(crds, undefined, target, [crds], release), { version: 'v1beta1', source })
  assert.deepEqual(storageOf(crds, undefined, undefined, [crds], release), { version: 'v1beta1', source })
  const other = { ...crds, group: 'shop.example.dev' }
  assert.equal(storageOf(other, undefined, target, [other], release), undefined)
})
