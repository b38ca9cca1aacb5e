import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject } from '../meta/object.ts'
import {
  defineResource,
  type ResourceOptions,
  resourceAtRelease,
  servedVersionNames,
} from './define-resource.ts'
import { identityVersion } from './identity-version.ts'

const version = identityVersion<ApiObject>({ type: 'object' })
const options: ResourceOptions<ApiObject> = {
  ...{ group: 'example.dev', kind: 'Thing', plural: 'things', scope: 'Cluster' },
  versions: { v2: version, v1: version },
  preferredStorageVersion: 'v1',
  storagePrefix: 'example.dev/things',
}
const releases = { x: { decodable: ['v1'], served: ['v1'], preferredStorage: 'v1' } }

const refusals: readonly (readonly [Partial<ResourceOptions<ApiObject>>, RegExp])[] = [
  [{ versions: {} }, /versions: give at least one/],
  [{ preferredStorageVersion: 'v3' }, /preferredStorageVersion: "v3" is not one of versions/],
  [{ servedVersions: ['v3'] }, /servedVersions: "v3" is not one of versions/],
  [{ servedVersions: [] }, /servedVersions: give at least one/],
  [{ servedVersions: ['v1'], releases }, /servedVersions: each of releases says what it serves/],
  [{ bootstrap: true }, /bootstrap: a bootstrap kind has exactly one version/],
  [{ releases: { x: { ...releases.x, decodable: ['v0'] } } }, /releases\["x"\]\.decodable: "v0"/],
  [{ releases: { x: { ...releases.x, served: ['v2'] } } }, /releases\["x"\]\.served: "v2" must be decodable/],
  [
    { releases: { x: { ...releases.x, preferredStorage: 'v2' } } },
    /releases\["x"\]\.preferredStorage: "v2" must be decodable/,
  ],
]

for (const [change, why] of refusals) {
  test(`define a resource: ${why.source} is refused`, () => {
    assert.throws(() => defineResource({ ...options, ...change }), why)
  })
}

test('define a resource: all versions are served, or those that are named; the others are only stored', () => {
  assert.deepEqual(servedVersionNames(defineResource(options)), ['v2', 'v1'])
  const stored = defineResource({ ...options, servedVersions: ['v2'] })
  assert.deepEqual(servedVersionNames(stored), ['v2'])
  assert.deepEqual(resourceAtRelease(stored, 'x'), {
    decodable: ['v2', 'v1'],
    served: ['v2'],
    preferredStorage: 'v1',
  })
})
