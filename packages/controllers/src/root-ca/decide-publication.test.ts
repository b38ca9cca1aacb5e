import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConfigMap, Namespace } from '@strata/api'
import { decidePublication } from './decide-publication.ts'

const alive: Namespace = { metadata: { name: 'ns' }, status: { phase: 'Active' } }
const first = decidePublication(alive, undefined, 'PEM')
assert.ok(first.do === 'create')
const { bundle } = first

test('root CA: the bundle has the name, the key and the description that clients know', () => {
  assert.equal(bundle.metadata.name, 'kube-root-ca.crt')
  assert.equal(bundle.metadata.namespace, 'ns')
  assert.deepEqual(bundle.data, { 'ca.crt': 'PEM' })
  assert.match(bundle.metadata.annotations?.['kubernetes.io/description'] ?? '', /^Contains a CA bundle that/)
})

const annotated = (annotations: Record<string, string>): Partial<ConfigMap> => ({
  metadata: { ...bundle.metadata, annotations },
})
const cases: ReadonlyArray<[name: string, change: Partial<ConfigMap>, want: string]> = [
  ['a correct bundle is left alone', {}, 'nothing'],
  ['other metadata is left alone', { metadata: { ...bundle.metadata, labels: { a: 'b' } } }, 'nothing'],
  ['another certificate is corrected', { data: { 'ca.crt': 'EVIL' } }, 'update'],
  ['one certificate more is corrected', { data: { 'ca.crt': 'PEM', 'more.crt': 'EVIL' } }, 'update'],
  ['binary data is corrected', { binaryData: { 'more.crt': 'RVZJTA==' } }, 'update'],
  ['empty data is corrected', { data: {} }, 'update'],
  ['a missing description is corrected', annotated({ a: 'b' }), 'update'],
  ['another description is kept', annotated({ 'kubernetes.io/description': 'ours' }), 'nothing'],
  ['a correct bundle may be immutable', { immutable: true }, 'nothing'],
  ['a wrong immutable bundle is deleted', { immutable: true, data: { 'ca.crt': 'EVIL' } }, 'delete'],
]
for (const [name, change, want] of cases) {
  test(`root CA: ${name}`, () => {
    const decision = decidePublication(alive, { ...bundle, ...change }, 'PEM')
    assert.equal(decision.do, want)
    if (decision.do !== 'update') return
    assert.deepEqual(decision.bundle.data, { 'ca.crt': 'PEM' })
    assert.equal(decision.bundle.binaryData, undefined)
    assert.ok(decision.bundle.metadata.annotations?.['kubernetes.io/description'])
  })
}

test('root CA: a terminating or deleted namespace gets nothing', () => {
  const ending: Namespace = { ...alive, status: { phase: 'Terminating' } }
  const deleted = { ...alive, metadata: { name: 'ns', deletionTimestamp: '2026-01-01T00:00:00Z' } }
  for (const namespace of [ending, deleted, undefined]) {
    assert.equal(decidePublication(namespace, undefined, 'PEM').do, 'nothing')
    assert.equal(decidePublication(namespace, { ...bundle, data: {} }, 'PEM').do, 'nothing')
  }
})
