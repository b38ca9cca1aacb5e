import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry, AgreementStatus, Lease } from '@strata/api'
import { agreedOnV1, entry, lease, nowMs, record } from '@strata/insight/records-for-test'
import { explainDisagreement, isRefusedByAll, lackedKeyTexts } from './explain-disagreement.ts'

const v1 = 'example.dev/v1'
const v2 = 'example.dev/v2'
const id = 'apiserver-2t3g'
const unrecorded = (name: string, instance: string): Lease => {
  const { metadata, ...rest } = lease(name, instance)
  const annotations = { ...metadata.annotations, 'strata.dev/records-writes': 'false' }
  return { ...rest, metadata: { ...metadata, annotations } }
}
const keyless: AgreementEntry = {
  ...entry(id, v1),
  refusesWrites: true,
  keyProblem: 'what is stored may be under aesgcm:key2:f, which this server does not have; add it',
}

const rows: readonly [
  name: string,
  because: string,
  entries: readonly AgreementEntry[],
  leases: readonly Lease[],
  want: RegExp,
  more?: { readonly isAboutCrd: true },
][] = [
  [
    'one that does not record is reported as in status',
    'servers write one version in 2 ways: unrecorded; v1 identity GOEHVDTzXHpnIOKo',
    [entry(id, v1)],
    [lease(id, '7443'), unrecorded('b', '7444')],
    /^S2 \(7444\) writes without recording: restart it with --feature-gates StorageVersionAPI=true$/,
  ],
  [
    'the only server lacks a key',
    'no server has reported',
    [keyless],
    [lease(id, '7443')],
    /^S1 \(7443\) refuses writes and is not ready: what is stored may be under aesgcm:key2:f, which this server does not have; add it; no server writes it: all of them refuse$/,
  ],
  [
    'different versions',
    `${id} encodes ${v1}, b encodes ${v2}`,
    [entry(id, v1), entry('b', v2)],
    [lease(id, '7443'), lease('b', '7444')],
    /^servers encode different versions \(v1, v2\): finish the upgrade or roll it back$/,
  ],
  [
    'what a CRD says comes first',
    'the CRD things.example.dev is being deleted',
    [keyless],
    [lease(id, '7443')],
    /^the CRD things\.example\.dev is being deleted$/,
    { isAboutCrd: true },
  ],
  [
    'where status has nothing to say, servers have names all the same',
    `no entry from ${id}`,
    [entry(id, v1)],
    [lease(id, '7443')],
    /^no entry from S1 \(7443\)$/,
  ],
]
for (const [name, because, entries, leases, want, more = {}] of rows) {
  test(`disagreement: ${name}`, () => {
    const status: Partial<AgreementStatus> = entries.some(({ refusesWrites }) => refusesWrites)
      ? {}
      : agreedOnV1
    const seen = explainDisagreement(
      { agreed: false, because, waitingIn: 3, ...more },
      { record: record(entries, status), leases },
      nowMs,
    )
    assert.match(seen.agreed ? '' : seen.because, want)
    assert.equal(seen.agreed ? undefined : seen.waitingIn, 3)
  })
}

test('lacked keys: each server that lacks a key is reported, the others are not', () => {
  const persisted = ['aesgcm:key2:f', 'identity', 'Unknown'].map((writeKey) => ({
    ...{ encodingVersion: v1, writeKey, epoch: 3 },
  }))
  const having = { ...entry('b', v1), readableKeys: ['aesgcm:key2:f', 'identity'] }
  const sight = {
    record: record([entry(id, v1), having], { persisted }),
    leases: [lease(id, '7443'), lease('b', '7444')],
  }
  assert.deepEqual(lackedKeyTexts(sight, nowMs), [
    'S1 (7443) lacks the key aesgcm:key2:f: add it to its --encryption-provider-config',
  ])
})

const refusing = (name: string, refuses: string): Lease => {
  const { metadata, ...rest } = lease(name, name)
  const annotations = { ...metadata.annotations, 'strata.dev/refuses': refuses }
  return { ...rest, metadata: { ...metadata, annotations } }
}
const refusals: readonly [name: string, leases: readonly Lease[], want: boolean][] = [
  ['all servers refuse it', [refusing('a', 'things.example.dev'), refusing('b', 'things.example.dev')], true],
  ['one serves it', [refusing('a', 'things.example.dev'), refusing('b', '')], false],
  ['one has not checked yet', [refusing('a', 'things.example.dev'), lease('b')], false],
  ['one has an entry and no Lease', [refusing('b', 'things.example.dev')], false],
  ['they refuse something else', [refusing('a', 'others.example.dev')], false],
]
for (const [name, leases, want] of refusals) {
  test(`refused by all: ${name}: ${want}`, () => {
    const things = { group: 'example.dev', resource: 'things' }
    assert.equal(isRefusedByAll({ record: record([entry('a', v1)]), leases }, things, nowMs), want)
  })
}
