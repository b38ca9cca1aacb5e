import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiObject, configMaps, type ResourceDefinition, resourceAtRelease } from '@strata/api'
import { createCodec } from '../../codec/index.ts'
import type { ServedResource } from '../served/served-api.ts'
import { keepUnknown, shownObject } from './keep-unknown.ts'
import { systemWrite } from './write-options.ts'

const definition = configMaps as unknown as ResourceDefinition
const release = resourceAtRelease(definition, undefined)
assert.ok(release)
const codec = createCodec(definition, release)
const resource: ServedResource = { definition, codec, group: '', versionName: 'v1', apiVersion: 'v1' }

const current = (hub: ApiObject, mayHoldUnknown: boolean) => ({
  entry: { key: 'k', revision: 7, createRevision: 7, value: new Uint8Array() },
  hub,
  mayHoldUnknown,
})
const stored: ApiObject = { metadata: { name: 'm' }, data: { a: 'b' }, future: 1 }

test('keep unknown: where none can be, the stored object is not even looked at', () => {
  const untouchable: ServedResource = {
    ...resource,
    codec: {
      ...codec,
      toWire: () => assert.fail('converted'),
      schemaOf: () => assert.fail('compared with its schema'),
    },
  }
  const next: ApiObject = { metadata: { name: 'm' } }
  for (const replaces of [true, false]) {
    assert.equal(keepUnknown(untouchable, next, current(stored, false), { ...systemWrite, replaces }), next)
  }
  const looked = { ...systemWrite, holdsUnknown: false }
  assert.equal(keepUnknown(untouchable, next, current(stored, true), looked), next)
})

test('keep unknown: a replacement keeps them only if it changes nothing', () => {
  const replaces = { ...systemWrite, replaces: true }
  const same: ApiObject = { metadata: { name: 'm', resourceVersion: '7' }, data: { a: 'b' } }
  assert.equal(keepUnknown(resource, same, current(stored, true), replaces)['future'], 1)
  const other: ApiObject = { metadata: { name: 'm' }, data: { a: 'c' } }
  assert.equal(keepUnknown(resource, other, current(stored, true), replaces), other)
  assert.deepEqual(keepUnknown(resource, other, current(stored, true), systemWrite), { ...other, future: 1 })
})

test('keep unknown: a client is shown what the release knows', () => {
  const { future: _, ...known } = stored
  assert.deepEqual(shownObject(resource, current(stored, false)), { document: known, holdsUnknown: true })
  const plain = shownObject(resource, current(known, false))
  assert.equal(plain.holdsUnknown, false)
  assert.equal(plain.document, known)
})
