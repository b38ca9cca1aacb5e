import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry, AgreementStatus, Lease, StorageAgreement } from '@strata/api'
import { describeFleet } from './fleet-status.ts'
import { renderStatus } from './render-status.ts'

const lease = (name: string): Lease => ({
  metadata: { name, labels: { 'kubernetes.io/hostname': 'h' } },
  spec: {},
})
const entry = (serverID: string, encodingVersion: string): AgreementEntry => ({
  serverID,
  process: `${serverID}_1`,
  encodingVersion,
  decodableVersions: ['example.dev/v1', 'example.dev/v2'],
  servedVersions: ['example.dev/v1'],
  guarantee: 'strict',
  writeKey: 'identity',
  readableKeys: ['identity'],
  encoderFingerprint: 'f',
})
const record = (servers: AgreementEntry[], status: Partial<AgreementStatus> = {}): StorageAgreement => ({
  metadata: { name: 'example.dev.things' },
  spec: { group: 'example.dev', resource: 'things' },
  status: {
    epoch: 3,
    encodings: [],
    servers,
    conditions: [{ type: 'Fenced', status: 'True', lastTransitionTime: '', reason: '', message: '' }],
    ...status,
  },
})
const agreedOnV1 = { agreedVersion: 'example.dev/v1', agreedSince: '2026-01-01T00:00:00Z' }

type Row = [
  name: string,
  record: StorageAgreement,
  leases: Lease[],
  agreed: boolean,
  problem: RegExp | undefined,
]
const cases: readonly Row[] = [
  [
    'one version everywhere is agreement',
    record([entry('a', 'example.dev/v1')], agreedOnV1),
    [lease('a')],
    true,
    undefined,
  ],
  [
    'two versions name both and say what to do',
    record([entry('a', 'example.dev/v1'), entry('b', 'example.dev/v2')]),
    [lease('a'), lease('b')],
    false,
    /different versions \(example.dev\/v1, example.dev\/v2\): finish the upgrade/,
  ],
  [
    'a live server without an entry is named, even if the record was evaluated before it came',
    record([entry('a', 'example.dev/v1')], agreedOnV1),
    [lease('a'), lease('b')],
    false,
    /no entry from b/,
  ],
  [
    'an entry without a Lease is named',
    record([entry('a', 'example.dev/v1'), entry('b', 'example.dev/v1')]),
    [lease('a')],
    false,
    /b has an entry but no Lease/,
  ],
  ['nobody at all is no agreement', record([]), [], false, /no server has reported/],
]
for (const [name, seen, leases, agreed, problem] of cases) {
  test(`status: ${name}`, () => {
    const status = describeFleet([seen], leases)
    assert.equal(status.agreed, agreed)
    const text = status.resources[0]?.problems.join('; ') ?? ''
    if (problem) assert.match(text, problem)
    else assert.equal(text, '')
    const shown = renderStatus(status, Date.parse('2026-01-01T00:01:30Z'))
    assert.match(shown, /things\.example\.dev/)
    if (problem) assert.match(shown, problem)
    else assert.match(shown, /things\.example\.dev +v1 +90s +3 /)
  })
}
