import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry, AgreementStatus } from '@strata/api'
import { agreedEncoding } from './agreed-encoding.ts'
import { standsStill } from './decide-epoch.ts'
import { isProven } from './take-census.ts'

const server = (serverID: string, more: Partial<AgreementEntry> = {}): AgreementEntry => ({
  ...{ serverID, process: `${serverID}-1`, encodingVersion: 'v2', decodableVersions: [], servedVersions: [] },
  ...{ guarantee: 'strict', writeKey: 'identity', readableKeys: [], encoderFingerprint: 'f', ...more },
})
const fenced = (status: 'True' | 'False'): AgreementStatus['conditions'] => [
  { type: 'Fenced', status, lastTransitionTime: '', reason: '', message: '' },
]
const settled: AgreementStatus = {
  epoch: 3,
  encodings: ['v2 identity f strict'],
  agreedVersion: 'v2',
  servers: [server('a'), server('b')],
  conditions: fenced('True'),
}
const { agreedVersion: _, ...undecided } = settled

const epochs: readonly [name: string, status: AgreementStatus | undefined, stands: boolean][] = [
  ['the epoch that was named stands', settled, true],
  ['another epoch does not, though it is about the same version', { ...settled, epoch: 4 }, false],
  ['nor one in which another version is agreed on', { ...settled, agreedVersion: 'v1' }, false],
  ['nor one in which two write the version in two ways', { ...settled, encodings: ['a', 'b'] }, false],
  [
    'a loose server beside strict ones writes no other way',
    { ...settled, encodings: ['v2 identity f loose', 'v2 identity f strict'] },
    true,
  ],
  ['a server that registers again ends nothing', undecided, true],
  [
    'but one that writes something else does',
    { ...undecided, servers: [server('a'), server('b', { encodingVersion: 'v1' })] },
    false,
  ],
  ['nor one without writers: there is no key to seal with', { ...undecided, servers: [] }, false],
  [
    'nor one in which two write under two keys',
    { ...undecided, servers: [server('a'), server('b', { writeKey: 'k1' })] },
    false,
  ],
  ['no record, no epoch', undefined, false],
]
for (const [name, status, stands] of epochs) {
  test(`epoch: ${name}`, () => assert.equal(standsStill(status, { epoch: 3, encodingVersion: 'v2' }), stands))
}

test('agreed encoding: one version, one encoder, one key', () => {
  const want = { epoch: 3, encodingVersion: 'v2', fenced: true }
  assert.deepEqual(agreedEncoding(settled), want)
  assert.equal(agreedEncoding(undecided), undefined)
  assert.equal(agreedEncoding({ ...settled, encodings: ['a', 'b'] }), undefined)
  const mixed = { encodings: ['v2 identity f loose', 'v2 identity f strict'], conditions: fenced('False') }
  assert.deepEqual(agreedEncoding({ ...settled, ...mixed }), { ...want, fenced: false })
  const underKey = settled.servers.map((each) => ({ ...each, writeKey: 'k1' }))
  assert.deepEqual(agreedEncoding({ ...settled, servers: underKey }), { ...want, writeKey: 'k1' })
  assert.equal(agreedEncoding({ ...settled, servers: [server('a'), ...underKey] }), undefined)
})

test('census: proven only if one fenced epoch stood from the beginning to the end', () => {
  const seen = (more: Partial<AgreementStatus> = {}, recordUID = 'r') => {
    const agreed = agreedEncoding({ ...settled, ...more })
    return agreed && { ...agreed, recordUID }
  }
  const before = seen()
  assert.equal(isProven(before, before), true)
  assert.equal(isProven(before, seen({ epoch: 4 })), false)
  assert.equal(isProven(before, seen({}, 'made anew')), false)
  assert.equal(isProven(before, seen({ conditions: fenced('False') })), false)
  assert.equal(isProven(seen({ conditions: fenced('False') }), before), false)
  assert.equal(isProven(before, undefined), false)
  assert.equal(isProven(undefined, before), false)
})
