import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  AgreementCondition,
  AgreementEntry,
  Lease,
  PersistedEncoding,
  StorageAgreement,
} from '@strata/api'
import { describeFleet, type FleetFacts, type Question } from '@strata/insight'
import { agreedOnV1, entry, lease, nowMs, record } from '@strata/insight/records-for-test'
import { renderStatus } from './render-status.ts'

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
  ['no server at all is no agreement', record([]), [], false, /no server has reported/],
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

const legends: ReadonlyArray<[more: Partial<AgreementEntry>, legend: string]> = [
  [{}, 'v2 (v1) means: this server writes v2 and can also read v1.'],
  [{ refusesWrites: true }, 'refuses (v1, v2) means: this server refuses writes and can read v1, v2.'],
]
for (const [more, legend] of legends) {
  test(`status: the legend takes its example from the table: ${legend}`, () => {
    const records = [record([{ ...entry('a', 'example.dev/v2'), ...more }])]
    const status = describeFleet({ records, leases: [lease('a', 'one')] }, nowMs)
    const shown = renderStatus(status, nowMs, everything).split('\n')
    assert.deepEqual(
      shown.filter((line) => line.includes(' means: ')),
      [legend],
    )
  })
}

test('status: a version that another server cannot read is an alarm of its own', () => {
  const old: AgreementEntry = { ...entry('a', 'example.dev/v1'), decodableVersions: ['example.dev/v1'] }
  const status = describeFleet(
    {
      records: [record([old, entry('b', 'example.dev/v2')])],
      leases: [lease('b', 'new'), lease('a', 'older')],
    },
    nowMs,
  )
  const warning =
    'S1 writes v2, which S2 cannot decode: objects written now cannot be read through S2; a release was skipped: immediately stop S2, or S1'
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
    'S2 and S3 write v2, which S1 cannot decode: objects written now cannot be read through S1; a release was skipped: immediately stop S1, or S2 and S3',
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
    /Note: S1 \(one\) has been silent for 11m: start it again, or its entries are removed after its lease of 1h by any server that collects expired servers \(the default\); if none runs, start "strata controllers"/,
  )
})

test('status: an encryption file that is not taken over is a note: the one before is in force', () => {
  const { metadata, ...rest } = lease('a', 'one')
  const annotations = { ...metadata.annotations, 'strata.dev/encryption-file': 'refused' }
  const refusing = { ...rest, metadata: { ...metadata, annotations } }
  const look = (leases: readonly Lease[]) =>
    describeFleet({ records: [record([entry('a', 'example.dev/v1')], agreedOnV1)], leases }, nowMs)
  const seen = look([refusing])
  assert.equal(seen.agreed, true)
  assert.match(
    renderStatus(seen, nowMs, everything),
    /^Note: S1 \(one\) rejected its changed encryption file .* \/readyz\/encryption-provider-config/m,
  )
  const second = { ...refusing, metadata: { ...refusing.metadata, name: 'b' } }
  assert.deepEqual(look([refusing, second]).advice, [
    'S1 (one), S2 (one) rejected their changed encryption files and use the previous ones: their logs and their /readyz/encryption-provider-config say why',
  ])
})

test('status: a resource that is defined no more is no disagreement, if it can be seen that it is not', () => {
  const gone = (served: ReadonlySet<string> | undefined) =>
    describeFleet({ records: [record([])], leases: [lease('a', 'one')], served }, nowMs)
  const seen = gone(new Set(['configmaps']))
  assert.deepEqual([seen.agreed, seen.resources, seen.withdrawn], [true, [], ['things.example.dev']])
  assert.match(
    renderStatus(seen, nowMs, everything),
    /Note: no server serves things\.example\.dev any more; the agreement records are kept/,
  )
  for (const unclear of [undefined, new Set(['things.example.dev'])]) {
    const { agreed, withdrawn } = gone(unclear)
    assert.deepEqual([agreed, withdrawn], [false, []])
  }
})

const aboutThings = { resources: ['things'], expectedServers: 0 }
const others = { ...record([]), spec: { group: 'other.dev', resource: 'things' } }
const nothingToAgreeOn: readonly [
  name: string,
  facts: FleetFacts,
  question: Question | undefined,
  problem: string,
][] = [
  [
    'of what is defined no more and was named',
    { records: [record([])], leases: [lease('a')], served: new Set(['configmaps']) },
    aboutThings,
    'no server serves things any more: serve it again, or leave it out',
  ],
  [
    'of all with that name, if no server serves one of them',
    { records: [record([]), others], leases: [lease('a')], served: new Set(['configmaps']) },
    aboutThings,
    'no server serves things any more: serve it again, or leave it out',
  ],
  [
    'where there are no servers and no records',
    { records: [], leases: [] },
    undefined,
    'no server has an identity Lease: is one starting?',
  ],
  [
    'where there are no servers, and records of what is gone',
    { records: [record([])], leases: [], served: new Set() },
    undefined,
    'no server has an identity Lease: is one starting?',
  ],
  [
    'where no server has recorded anything',
    { records: [], leases: [lease('a')] },
    undefined,
    'there are no agreement records: no server has reported its storage versions yet',
  ],
]
for (const [name, facts, question, problem] of nothingToAgreeOn) {
  test(`status: there is no agreement ${name}`, () => {
    const status = describeFleet(facts, nowMs, question)
    assert.deepEqual([status.agreed, status.resources], [false, []])
    assert.ok(status.problems.includes(problem), status.problems.join('; '))
    const shown = renderStatus(status, nowMs, everything)
    assert.match(shown, /^Nothing is agreed:\n {2}/m)
    assert.doesNotMatch(shown, /agree on/)
  })
}

test('status: a name that one group has dropped and another still has means the other', () => {
  const records = [record([entry('a', 'example.dev/v1')], agreedOnV1), others]
  const seen = { records, leases: [lease('a')], served: new Set(['things.example.dev']) }
  const { agreed, problems, withdrawn } = describeFleet(seen, nowMs, aboutThings)
  assert.deepEqual([agreed, problems, withdrawn], [true, [], ['things.other.dev']])
})

const persisted: ReadonlyArray<[versions: string[] | undefined, shown: RegExp]> = [
  [['example.dev/v1'], / v1 +- +v1/],
  [['example.dev/v1', 'example.dev/v2'], / v1, v2 +- +v1/],
  [undefined, / Unknown +- +v1/],
]
for (const [versions, shown] of persisted) {
  test(`status: ${versions?.join(' and ') ?? 'anything'} may be stored`, () => {
    const named = versions?.map((encodingVersion) => ({ encodingVersion, writeKey: 'identity', epoch: 1 }))
    const more = { epoch: 1, encodings: [], ...(named ? { persisted: named } : {}) }
    const records = [record([entry('a', 'example.dev/v1')], { ...agreedOnV1, ...more })]
    const seen = describeFleet({ records, leases: [lease('a', 'one')] }, nowMs)
    assert.deepEqual(seen.resources[0]?.persistedVersions, versions ?? ['Unknown'])
    assert.match(renderStatus(seen, nowMs, { all: true, wide: true }), shown)
  })
}

test('status: a recording gap is shown while objects of it may be stored', () => {
  const recordingGap = { epoch: 1, at: '', reason: 'ServersDidNotRecord', message: 'x wrote' } as const
  const stored = { encodingVersion: 'example.dev/v1', writeKey: 'identity', epoch: 3 }
  const unknown = { encodingVersion: 'Unknown', writeKey: 'Unknown', epoch: 0, reason: 'Unrecorded' } as const
  const notes = (persisted: readonly PersistedEncoding[]): string => {
    const records = [record([entry('a', 'example.dev/v1')], { ...agreedOnV1, recordingGap, persisted })]
    return renderStatus(describeFleet({ records, leases: [lease('a', 'one')] }, nowMs), nowMs, {
      all: true,
      wide: false,
    })
  }
  assert.match(notes([stored, unknown]), /^Note: .*recording gap \(x wrote\)/m)
  assert.doesNotMatch(notes([stored]), /recording gap/)
})

test('status: on a resource without a record there is no agreement', () => {
  const facts = { records: [record([entry('a', 'example.dev/v1')], agreedOnV1)], leases: [lease('a', 'one')] }
  const ask = (...resources: string[]) => describeFleet(facts, nowMs, { resources, expectedServers: 0 })
  assert.equal(ask('things').agreed, true)
  const { agreed, problems } = ask('things', 'lamps.example.dev')
  assert.equal(agreed, false)
  assert.match(problems.join(), /no agreement record of lamps\.example\.dev: no server serves it/)
})

test('status: a short name may be of a group whose servers do not answer', () => {
  const away = {
    group: 'shop.example.dev',
    apiServices: [],
    unseen: 'connection refused',
    resources: new Map(),
  }
  const facts = { records: [record([entry('a', 'example.dev/v1')], agreedOnV1)], leases: [lease('a', 'one')] }
  const ask = (name: string, aggregated = [away]) =>
    describeFleet({ ...facts, aggregated }, nowMs, { resources: [name], expectedServers: 0 }).problems.join()
  const want =
    /may be a resource of shop\.example\.dev, whose servers do not answer; name it in full, as th\.shop/
  assert.match(ask('th'), want)
  assert.doesNotMatch(ask('lamps.example.dev'), want)
  assert.match(ask('th', []), /no server serves it yet, or the name is wrong/)
})

test('status: what may be stored and a server cannot decode is named, and is no disagreement', () => {
  const old: AgreementEntry = { ...entry('a', 'example.dev/v1'), decodableVersions: ['example.dev/v1'] }
  const persisted = ['example.dev/v1', 'example.dev/v2'].map((encodingVersion) => ({
    ...{ encodingVersion, writeKey: 'identity', epoch: 1 },
  }))
  const see = (...entries: AgreementEntry[]) => {
    const records = [record(entries, { ...agreedOnV1, persisted })]
    const leases = entries.map(({ serverID }) => lease(serverID, `strata-${serverID}`))
    return describeFleet({ records, leases }, nowMs)
  }
  const status = see(old, entry('b', 'example.dev/v1'))
  assert.equal(status.agreed, true)
  const shown = renderStatus(status, nowMs, { all: false, wide: false })
  assert.match(
    shown,
    /^STORED OBJECTS MAY BE UNREADABLE:\n {2}things\.example\.dev: objects may be stored as v2, which .*strata-a.* cannot decode: .* --allow-undecodable-storage/m,
  )
  assert.match(shown, /^things\.example\.dev +v1/m)
  assert.equal(see(entry('a', 'example.dev/v1')).resources[0]?.undecodable, undefined)
})

test('status: when every server refuses to write, the text says so, and promises no new evaluation', () => {
  const keyless = { ...entry('a', 'example.dev/v1'), refusesWrites: true, keyProblem: 'it lacks a key' }
  const reported: AgreementCondition = {
    type: 'AllServersReported',
    status: 'True',
    lastTransitionTime: '',
    reason: '',
    message: '',
  }
  const records = [record([keyless], { conditions: [reported] })]
  const { resources } = describeFleet({ records, leases: [lease('a', 'one')] }, nowMs)
  assert.deepEqual(resources[0]?.problems, ['no server writes it: all of them refuse'])
  assert.deepEqual(resources[0]?.refusals, ['S1 (one) refuses writes and is not ready: it lacks a key'])
})

test('status: rows that differ in nothing but the name are shown three times, others are not left out for their sake', () => {
  const named = (resource: string, entries: readonly AgreementEntry[]) => ({
    ...record(entries),
    spec: { group: 'example.dev', resource },
  })
  const same = Array.from({ length: 25 }, (_, index) => named(`a${index}`, [entry('a', 'example.dev/v1')]))
  const torn = named('torn', [entry('a', 'example.dev/v1'), entry('b', 'example.dev/v2')])
  const leases = [lease('a', 'one'), lease('b', 'two')]
  const seen = describeFleet({ records: [...same, torn], leases }, nowMs)
  const shown = renderStatus(seen, nowMs, { all: false, wide: false })
  assert.deepEqual(shown.match(/^(a\d+|torn)\./gm), ['a0.', 'a1.', 'a10.', 'torn.'])
  assert.match(shown, /^… and 22 more that need attention \(--all shows them\)$/m)
})

test('status: what the record says of missing servers has a next step, and servers have their names', () => {
  const problems = (reason: string, message: string, expectedServers = 0) => {
    const missing: AgreementCondition = {
      ...{ type: 'AllServersReported', status: 'False', lastTransitionTime: '', reason, message },
    }
    const only = { ...entry('apiserver-a', 'example.dev/v1'), expectedServers }
    const records = [record([only], { conditions: [missing] })]
    return describeFleet({ records, leases: [lease('apiserver-a', 'one')] }, nowMs).resources[0]?.problems
  }
  assert.deepEqual(problems('ServersMissing', '1 of 3 expected servers have reported', 3), [
    '1 of 3 expected servers have reported: start the others',
  ])
  assert.deepEqual(problems('ServersDoNotRecord', 'apiserver-a writes without recording it'), [
    'S1 (one) writes without recording it',
  ])
  assert.deepEqual(problems('ServersMissing', 'no entry from apiserver-b'), [
    'the record is about to be evaluated again',
  ])
})

test('status: who was there in a recording gap is named as everywhere else, if it is still known', () => {
  const gap = {
    ...{ epoch: 3, at: '', reason: 'ServersDoNotRecord' as const },
    message: 'apiserver-a and apiserver-gone write without recording it',
  }
  const persisted: PersistedEncoding[] = ['example.dev/v1', 'Unknown'].map((encodingVersion) => ({
    ...{ encodingVersion, writeKey: 'identity', epoch: 3 },
  }))
  const records = [
    record([entry('apiserver-a', 'example.dev/v1')], { ...agreedOnV1, recordingGap: gap, persisted }),
  ]
  const shown = renderStatus(
    describeFleet({ records, leases: [lease('apiserver-a', 'one')] }, nowMs),
    nowMs,
    everything,
  )
  assert.match(shown, /recording gap \(S1 \(one\) and apiserver-gone write without recording it\)/)
})

test('status: a server without a Lease has a short id in sentences, and its whole id in the table', () => {
  const id = 'apiserver-hqmqz2kpx4w7n3bd5fj6ra2cui'
  const records = [record([entry('a', 'example.dev/v1'), entry(id, 'example.dev/v1')], agreedOnV1)]
  const seen = describeFleet({ records, leases: [lease('a', 'one')] }, nowMs)
  const shown = renderStatus(seen, nowMs, everything)
  assert.match(shown, /an entry but no Lease from S2 \(apiserver-hqmqz2kp…\): it is removed/)
  assert.match(shown, new RegExp(`^S2 .* ${id} `, 'm'))
  const unseenProcesses = [`${id}_0b1f6d9c-5a0e-4c57-9f0e-3c6a1d2b4e5f`]
  const unseen = [record([entry('a', 'example.dev/v1')], { ...agreedOnV1, unseenProcesses })]
  const [first] = describeFleet({ records: unseen, leases: [lease('a', 'one')] }, nowMs).resources
  assert.match(first?.problems.join() ?? '', /^apiserver-hqmqz2kp… has no identity Lease and writes/)
})
