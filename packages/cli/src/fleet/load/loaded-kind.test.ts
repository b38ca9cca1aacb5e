import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMaps, type ResourceDefinition } from '@strata/api'
import { utf8 } from '@strata/world'
import { chooseLoadedKind, writeRequest } from './loaded-kind.ts'

const release = (...served: string[]) => ({ decodable: served, served, preferredStorage: served[0] ?? '' })
const beacons = {
  ...{ group: 'lighthouse.example.dev', resource: 'beacons', kind: 'Beacon' },
  ...{ versions: { v1: {}, v2: {} }, preferredStorageVersion: 'v2' },
  releases: { x: release('v1'), 'x+1': release('v1', 'v2'), 'x+3': release('v2') },
} as unknown as ResourceDefinition
const maps = configMaps as unknown as ResourceDefinition
const signal = new AbortController().signal

const versions = (name: string): string[] =>
  [0, 1].map((index) => {
    const request = writeRequest(chooseLoadedKind([beacons], maps), { index, turn: 7, release: name }, signal)
    return JSON.parse(utf8.decode(request?.body ?? new Uint8Array())).apiVersion.split('/')[1]
  })

test('load: writes only versions that the release of the server serves', () => {
  assert.deepEqual(
    [versions('x'), versions('x+1'), versions('x+3')],
    [
      ['v1', 'v1'],
      ['v1', 'v2'],
      ['v2', 'v2'],
    ],
  )
})

test('load: a release without a name is the newest, and serves all', () => {
  assert.deepEqual(versions('0.1.0'), ['v1', 'v2'])
})

test('load: without the example it writes ConfigMaps', () => {
  const request = writeRequest(chooseLoadedKind([], maps), { index: 3, turn: 7, release: '0.1.0' }, signal)
  assert.match(request?.target ?? '', /^\/api\/v1\/namespaces\/playground\/configmaps\/load-3\?/)
})
