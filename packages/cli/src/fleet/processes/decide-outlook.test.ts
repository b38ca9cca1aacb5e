import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideOutlook, type Outlook, type Reasons } from './decide-outlook.ts'

const undecodable =
  'beacons is not served by this server: 1 object is stored as v3, which release x cannot decode'
const sealed =
  'beacons is not served by this server: 1 object under k8s:enc:kms:v2:vault: cannot be decrypted'
const noKey = 'secrets: what is stored may be under aesgcm:two:22, which this server does not have; add it'
const kms = 'KMS provider vault: connect ENOENT'
const noKms = 'secrets: the KMS that it would write with has not answered yet'
const unread = 'secrets: this server can write under aesgcm:two:22 only, which S2 cannot read'

const cases: readonly [name: string, reasons: Reasons, want: Outlook][] = [
  ['nothing is known', {}, { kind: 'starting' }],
  ['entries are being stored', { registration: 'waiting for secrets' }, { kind: 'starting' }],
  ['what is stored cannot be decoded', { undecodable }, { kind: 'never', why: undecodable }],
  [
    'what is stored cannot be decrypted for now',
    { undecodable: sealed, kms },
    { kind: 'waits', why: `${sealed}; ${kms}` },
  ],
  ['a key is missing', { registration: noKey }, { kind: 'never', why: noKey }],
  ['a key is missing, and a KMS is down', { registration: noKey, kms }, { kind: 'never', why: noKey }],
  ['a KMS is down', { kms }, { kind: 'waits', why: kms }],
  ['… and nothing was written yet', { kms, registration: noKms }, { kind: 'waits', why: `${kms}; ${noKms}` }],
  ['another server does not read the key', { registration: unread }, { kind: 'waits', why: unread }],
]
for (const [name, reasons, want] of cases) {
  test(`outlook of a server: ${name}`, () => assert.deepEqual(decideOutlook(reasons), want))
}
