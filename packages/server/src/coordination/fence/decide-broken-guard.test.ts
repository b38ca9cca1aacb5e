import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AgreementEntry,
  identityLabel,
  identityLabelValue,
  identityNamespace,
  type Lease,
} from '@strata/api'
import { type AfterBrokenGuard, decideBrokenGuard, type FenceView } from './decide-broken-guard.ts'

const self = { process: 'a_1', encodingVersion: 'v1' }
const labels = { [identityLabel]: identityLabelValue }
const lease = (holderIdentity: string, metadata: Lease['metadata'] = { labels }): Lease => ({
  metadata: { name: 'a', namespace: identityNamespace, ...metadata },
  spec: { holderIdentity },
})
const entry: AgreementEntry = {
  serverID: 'a',
  process: 'a_1',
  encodingVersion: 'v1',
  decodableVersions: ['v1'],
  servedVersions: ['v1'],
  guarantee: 'strict',
  writeKey: 'identity',
  readableKeys: ['identity'],
  encoderFingerprint: 'f',
}
const standing: FenceView = { entry, lease: lease('a_1') }

const cases: ReadonlyArray<[name: string, view: Partial<FenceView>, want: AfterBrokenGuard['do']]> = [
  ['someone else joined', {}, 'retry'],
  ['the servers chose another version', { entry: { ...entry, encodingVersion: 'v2' } }, 'encode-again'],
  [
    'the servers chose a version that we cannot write',
    { entry: { ...entry, encodingVersion: 'v2', refusesWrites: true } },
    'refuse',
  ],
  [
    'another process holds the Lease, and our entry refuses writes',
    { lease: lease('a_2'), entry: { ...entry, refusesWrites: true } },
    'stop',
  ],
  ['the entry is gone', { entry: undefined }, 'register-again'],
  ['the Lease is gone, the entry still stands', { lease: undefined }, 'register-again'],
  ['a Lease that no server wrote is in its place', { lease: lease('a_2', {}) }, 'register-again'],
  ['the label of the own Lease is gone', { lease: lease('a_1', {}) }, 'retry'],
  ['both are gone', { entry: undefined, lease: undefined }, 'register-again'],
  ['another process holds the Lease', { lease: lease('a_2') }, 'stop'],
  [
    'another process holds the Lease and has registered',
    { lease: lease('a_2'), entry: { ...entry, process: 'a_2' } },
    'stop',
  ],
  ['another process holds the Lease, our entry is gone', { lease: lease('a_2'), entry: undefined }, 'stop'],
  ['the entry under our id is of another process', { entry: { ...entry, process: 'a_0' } }, 'stop'],
]
for (const [name, view, want] of cases) {
  test(`broken guard: ${name} → ${want}`, () =>
    assert.equal(decideBrokenGuard(self, { ...standing, ...view }).do, want))
}
