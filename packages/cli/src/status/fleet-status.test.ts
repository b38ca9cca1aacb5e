import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry, Lease, StorageAgreement } from '@strata/api'
import { describeFleet } from './fleet-status.ts'
import { renderStatus } from './render-status.ts'
import { agreedOnV1, entry, lease, nowMs, record } from './status-for-test.ts'

const everything = { all: true, wide: false }

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
    /different versions \(v1, v2\): finish the upgrade/,
  ],
  [
    'a live server without an entry is named, even if the record was evaluated before it came',
    record([entry('a', 'example.dev/v1')], agreedOnV1),
    [lease('a'), lease('b')],
    false,
    /no entry from S2 \(b\)/,
  ],
  [
    'an entry without a Lease is named',
    record([entry('a', 'example.dev/v1'), entry('b', 'example.dev/v1')]),
    [lease('a')],
    false,
    /an entry but no Lease from S2 \(b\)/,
  ],
  ['nobody at all is no agreement', record([]), [], false, /no server has reported/],
]
for (const [name, seen, leases, agreed, problem] of cases) {
  test(`status: ${name}`, () => {
    const status = describeFleet({ records: [seen], leases }, nowMs)
    assert.equal(status.agreed, agreed)
    const text = status.resources[0]?.problems.join('; ') ?? ''
    if (problem) assert.match(text, problem)
    else assert.equal(text, '')
    const shown = renderStatus(status, nowMs, everything)
    assert.match(shown, /things\.example\.dev/)
    if (problem) assert.match(shown, problem)
    else assert.match(shown, /things\.example\.dev +v1 +90s +3 /)
  })
}

test('status: what one server writes and another cannot read is told apart, and louder', () => {
  const old: AgreementEntry = { ...entry('a', 'example.dev/v1'), decodableVersions: ['example.dev/v1'] }
  const status = describeFleet(
    {
      records: [record([old, entry('b', 'example.dev/v2')])],
      leases: [lease('b', 'new'), lease('a', 'older')],
    },
    nowMs,
  )
  const warning = 'S1 writes v2, which S2 cannot decode: objects written now cannot be read through S2'
  assert.deepEqual(status.resources[0]?.unreadable, [warning])
  assert.equal(status.agreed, false)
  assert.match(
    renderStatus(status, nowMs, everything),
    /UNREADABLE OBJECTS ARE BEING WRITTEN:\n {2}things.example.dev: S1 writes v2/,
  )
})

test('status: what several write and another cannot read is said once', () => {
  const old: AgreementEntry = { ...entry('a', 'example.dev/v1'), decodableVersions: ['example.dev/v1'] }
  const news = ['b', 'c'].map((id) => entry(id, 'example.dev/v2'))
  const leases = ['a', 'b', 'c'].map((id) => lease(id))
  const { resources } = describeFleet({ records: [record([old, ...news])], leases }, nowMs)
  assert.deepEqual(resources[0]?.unreadable, [
    'S2 and S3 write v2, which S1 cannot decode: objects written now cannot be read through S1',
  ])
})

test('status: servers are numbered in the order of their instances, and named by them', () => {
  const status = describeFleet(
    {
      records: [record([entry('z', 'example.dev/v1')])],
      leases: [lease('a', 'strata-10'), lease('b', 'strata-9'), lease('c')],
    },
    nowMs,
  )
  assert.deepEqual(
    status.servers.map(({ name, instance, serverID }) => [name, instance, serverID]),
    [
      ['S1', 'strata-9', 'b'],
      ['S2', 'strata-10', 'a'],
      ['S3', undefined, 'c'],
      ['S4', undefined, 'z'],
    ],
  )
  assert.match(renderStatus(status, nowMs, everything), /^S1 +strata-9 +x +b +h /m)
})

test('status: a server that has missed three renewals is silent, but agreement is not judged by that', () => {
  const seen = (renewTime: string) =>
    describeFleet(
      {
        records: [record([entry('a', 'example.dev/v1')], agreedOnV1)],
        leases: [lease('a', 'one', { renewTime, leaseDurationSeconds: 3600 })],
      },
      nowMs,
    )
  assert.deepEqual(seen('2026-01-01T00:01:00.000000Z').advice, [])
  const silent = seen('2025-12-31T23:50:00.000000Z')
  assert.equal(silent.agreed, true)
  const shown = renderStatus(silent, nowMs, everything)
  assert.match(shown, /S1 +one +x +a +h +- +silent for 11m/)
  assert.match(
    shown,
    /Note: S1 \(one\) has been silent for 11m: start it again, or let "strata controllers" expel it after its lease of 1h/,
  )
})

test('status: a resource that is defined no more is no disagreement, if it can be seen that it is not', () => {
  const gone = (served: ReadonlySet<string> | undefined) =>
    describeFleet({ records: [record([])], leases: [lease('a', 'one')], served }, nowMs)
  const seen = gone(new Set(['configmaps']))
  assert.deepEqual([seen.agreed, seen.resources, seen.withdrawn], [true, [], ['things.example.dev']])
  assert.match(
    renderStatus(seen, nowMs, everything),
    /Note: nobody serves things\.example\.dev any more; the records stay/,
  )
  for (const unclear of [undefined, new Set(['things.example.dev'])]) {
    const { agreed, withdrawn } = gone(unclear)
    assert.deepEqual([agreed, withdrawn], [false, []])
  }
})

const persisted: ReadonlyArray<[persistedVersions: string[] | undefined, shown: RegExp]> = [
  [['example.dev/v1'], / v1 +- +v1/],
  [['example.dev/v1', 'example.dev/v2'], / v1, v2 +- +v1/],
  [undefined, / Unknown +- +v1/],
]
for (const [persistedVersions, shown] of persisted) {
  test(`status: ${persistedVersions?.join(' and ') ?? 'nobody knows what'} may be stored`, () => {
    const more = persistedVersions ? { persistedVersions } : {}
    const records = [record([entry('a', 'example.dev/v1')], { ...agreedOnV1, ...more })]
    const seen = describeFleet({ records, leases: [lease('a', 'one')] }, nowMs)
    assert.deepEqual(seen.resources[0]?.persistedVersions, persistedVersions ?? ['Unknown'])
    assert.match(renderStatus(seen, nowMs, { all: true, wide: true }), shown)
  })
}

test('status: on a resource without a record there is no agreement', () => {
  const facts = { records: [record([entry('a', 'example.dev/v1')], agreedOnV1)], leases: [lease('a', 'one')] }
  const ask = (...resources: string[]) => describeFleet(facts, nowMs, { resources, expectedServers: 0 })
  assert.equal(ask('things').agreed, true)
  const { agreed, problems } = ask('things', 'lamps.example.dev')
  assert.equal(agreed, false)
  assert.match(problems.join(), /no agreement record of lamps\.example\.dev: nobody serves it/)
})
