import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObjectMeta, StorageVersion } from '@strata/api'
import { refuseHeldChange } from './storage-version-guard.ts'

const shown = (encodingVersion: string, metadata: Partial<ObjectMeta> = {}): StorageVersion => ({
  metadata: { name: 'core.configmaps', ...metadata },
  spec: {},
  status: {
    storageVersions: [{ apiServerID: 'a', encodingVersion, decodableVersions: ['v1', 'v2'] }],
    commonEncodingVersion: encodingVersion,
  },
})
const owner = { apiVersion: 'v1', kind: 'Namespace', name: 'default', uid: 'u' }

type Row = [name: string, stored: StorageVersion | undefined, next: StorageVersion | undefined, why?: RegExp]
const cases: readonly Row[] = [
  ['a write that changes nothing, as migrations make it', shown('v1'), shown('v1')],
  ['a label', shown('v1'), shown('v1', { labels: { a: 'b' } })],
  ['an annotation', shown('v1', { annotations: { a: 'b' } }), shown('v1')],
  [
    'another status',
    shown('v1'),
    shown('v2'),
    /StorageAgreement of the same name; only the servers may change its status$/,
  ],
  ['no status', shown('v1'), { ...shown('v1'), status: {} }, /may change its status$/],
  [
    'a finalizer',
    shown('v1'),
    shown('v1', { finalizers: ['a.dev/b'] }),
    /may change its finalizers or ownerReferences$/,
  ],
  [
    'an owner',
    shown('v1'),
    shown('v1', { ownerReferences: [owner] }),
    /may change its finalizers or ownerReferences$/,
  ],
  ['a deletion', shown('v1'), undefined, /may delete it$/],
  ['a new one', undefined, { ...shown('v1'), status: {} }, /may create it$/],
]
for (const [name, stored, next, why] of cases) {
  test(`StorageVersion that servers hold: ${name} is ${why ? 'refused' : 'taken'}`, () => {
    const refusal = refuseHeldChange({ stored, next })
    if (why) assert.match(refusal ?? '', why)
    else assert.equal(refusal, undefined)
  })
}
