import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomResourceDefinition } from '@strata/api'
import { crdForTest } from '../plan/crd-for-test.ts'
import { decideForeignChange } from './decide-foreign-change.ts'

type Metadata = Partial<CustomResourceDefinition['metadata']>

const at = (versions: string, metadata: Metadata): CustomResourceDefinition => {
  const crd = crdForTest({ versions })
  return { ...crd, metadata: { ...crd.metadata, ...metadata } }
}
const original = at('v1* v2', { generation: 1 })
const left = at('v1 v2*', { generation: 2 })

const rows: readonly [
  name: string,
  seen: CustomResourceDefinition | undefined,
  because: RegExp | undefined,
][] = [
  ['as it was left', left, undefined],
  ['its status was written', at('v1 v2*', { generation: 2, resourceVersion: '9' }), undefined],
  ['gone', undefined, /was deleted/],
  [
    'being deleted',
    at('v1 v2*', { generation: 2, deletionTimestamp: '2026-01-01T00:00:00Z' }),
    /is being deleted/,
  ],
  ['another one of this name', at('v1 v2*', { generation: 1, uid: 'w' }), /created again/],
  [
    'reverted',
    at('v1* v2', { generation: 3 }),
    /another client reverted .* before the upgrade \(generation 2 became 3\)/,
  ],
  ['changed', at('v1 v2* v3', { generation: 3 }), /another client changed .* meanwhile/],
]
for (const [name, seen, because] of rows) {
  test(`a CRD in an upgrade: ${name}`, () => {
    const change = decideForeignChange({ name: 'lamps', left, original, seen })
    assert.equal(change.kind, because === undefined ? 'none' : 'foreign')
    assert.match(change.kind === 'foreign' ? change.because : '', because ?? /^$/)
  })
}

test('a CRD in an upgrade: before the first write nothing can be reverted', () => {
  const seen = at('v1* v2', { generation: 2 })
  const change = decideForeignChange({ name: 'lamps', left: original, original, seen })
  assert.match(change.kind === 'foreign' ? change.because : '', /changed lamps meanwhile/)
})
