import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAggregatedLease, type Lease, mirroredServerId, type ObjectMeta } from '@strata/api'
import { decideMirroredLease, type LeaseFacts } from './decide-mirrored-lease.ts'

const origin = 'o'
const serverID = 'apiserver-a'
const spec = {
  ...{ holderIdentity: 'apiserver-a_1', leaseDurationSeconds: 3600, leaseTransitions: 2 },
  ...{ acquireTime: '2026-01-01T00:00:00.000000Z', renewTime: '2026-01-01T00:00:10.000000Z' },
}
const lease: Lease = {
  metadata: {
    ...{ namespace: 'kube-system', name: serverID, uid: 'origin-uid', resourceVersion: '9' },
    labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' },
    annotations: { 'strata.dev/records-writes': 'false', 'strata.dev/process': 'host 1' },
  },
  spec,
}
const shown = (more: Partial<ObjectMeta> = {}, moreSpec: Partial<Lease['spec']> = {}): Lease => ({
  metadata: {
    ...{ namespace: 'kube-system', name: mirroredServerId(origin, serverID), uid: 'u', resourceVersion: '7' },
    labels: { 'apiserver.kubernetes.io/identity': 'aggregated-apiserver', 'strata.dev/origin': origin },
    annotations: { 'strata.dev/origin-server': serverID },
    ...more,
  },
  spec: { ...spec, ...moreSpec },
})
const later = { renewTime: '2026-01-01T00:00:20.000000Z' }

const cases: readonly [string, Partial<LeaseFacts>, want: string][] = [
  ['a new server', { shown: undefined }, 'create'],
  ['nothing new', {}, 'nothing'],
  ['a renewal', { lease: { ...lease, spec: { ...spec, ...later } } }, 'update'],
  [
    'another process of the server',
    { lease: { ...lease, spec: { ...spec, holderIdentity: 'x' } } },
    'update',
  ],
  // The wall clock of the server was set back: the renewal is newer all the same.
  ['a renewal with an earlier time', { shown: shown({}, later) }, 'update'],
  ['a label was removed', { shown: shown({ labels: {} }) }, 'update'],
  ['the annotation was removed', { shown: shown({ annotations: {} }) }, 'update'],
  [
    'a label of a client beside ours',
    { shown: shown({ labels: { ...shown().metadata.labels, a: 'b' } }) },
    'nothing',
  ],
  ['the server is gone', { lease: undefined }, 'delete'],
  [
    'its Lease lost the label',
    { lease: { ...lease, metadata: { ...lease.metadata, labels: {} } } },
    'delete',
  ],
  ['neither is there', { lease: undefined, shown: undefined }, 'nothing'],
]
for (const [name, facts, want] of cases) {
  test(`mirrored Lease: ${name}: ${want}`, () =>
    assert.equal(decideMirroredLease({ origin, serverID, lease, shown: shown(), ...facts }).do, want))
}

test('mirrored Lease: it counts as that of an aggregated server, and copies what shows that the server lives', () => {
  const decision = decideMirroredLease({ origin, serverID, lease, shown: undefined })
  assert.equal(decision.do, 'create')
  assert.ok(decision.do === 'create' && isAggregatedLease(decision.lease))
  // Nothing of the annotations: they are about records of the origin, and readers of the aggregator would believe them.
  const { uid: _, resourceVersion: __, ...metadata } = shown().metadata
  assert.deepEqual(decision.lease, { metadata, spec })
})

test('mirrored Lease: a change is of the object that was read, and keeps what clients added', () => {
  const before = shown({ labels: { a: 'b' } })
  const decision = decideMirroredLease({ origin, serverID, lease, shown: before })
  assert.ok(decision.do === 'update')
  const { uid, resourceVersion, labels } = decision.lease.metadata
  assert.deepEqual([uid, resourceVersion, labels], ['u', '7', { a: 'b', ...shown().metadata.labels }])
})

test('mirrored Lease: a deletion is of the state that was read', () => {
  const decision = decideMirroredLease({ origin, serverID, lease: undefined, shown: shown() })
  assert.deepEqual(decision.do === 'delete' && decision.preconditions, { uid: 'u', resourceVersion: '7' })
})
