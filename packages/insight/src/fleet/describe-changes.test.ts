import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry, AgreementStatus, Lease, StorageAgreement } from '@strata/api'
import { describeChanges } from './describe-changes.ts'
import { describeFleet, type FleetFacts, type FleetStatus } from './fleet-status.ts'
import { agreedOnV1, entry, lease, nowMs, record } from './records-for-test.ts'

const v1 = 'example.dev/v1'
const v2 = 'example.dev/v2'
const run = (name: string, instance: string, process: string, release = 'x'): Lease => {
  const { metadata, ...rest } = lease(name, instance)
  return {
    ...rest,
    metadata: { ...metadata, annotations: { ...metadata.annotations, 'strata.dev/release': release } },
    spec: { holderIdentity: process },
  }
}
const leases = [run('a', 'one', 'a_1'), run('b', 'two', 'b_1')]
const bothOnV1 = [entry('a', v1), entry('b', v1)]
const agreed = { records: [record(bothOnV1, agreedOnV1)], leases }
const torn = { records: [record([entry('a', v1), entry('b', v2)], { epoch: 4 })], leases }
const voting = (entries: readonly AgreementEntry[], selectedVersion: string): StorageAgreement =>
  record(entries, { ...agreedOnV1, agreedVersion: selectedVersion, selectedVersion })
const voter = (id: string, encodes: string, preferredVersion: string): AgreementEntry => ({
  ...entry(id, encodes),
  preferredVersion,
})
const withStatus = (more: Partial<AgreementStatus>): FleetFacts => ({
  records: [record(bothOnV1, { ...agreedOnV1, ...more })],
  leases,
})
/** What the first of them says besides in its Lease. */
const saying = (said: Record<string, string>): FleetFacts => ({
  ...agreed,
  leases: leases.map((each, index) => {
    const annotations = { ...each.metadata.annotations, ...(index === 0 ? said : {}) }
    return { ...each, metadata: { ...each.metadata, annotations } }
  }),
})
const refusing = (refuses: string): FleetFacts => saying({ 'strata.dev/refuses': refuses })
const withRefusedFile = saying({ 'strata.dev/encryption-file': 'refused' })
const unseen = { since: '2026-01-01T00:00:00Z', because: 'connection refused' }
const differ = 'servers encode different versions (v1, v2): finish the upgrade or roll it back'
const notServed =
  'one does not serve it and is not ready: it cannot decode or decrypt stored objects; its /readyz/storage-decodable says which, and what to do; no restart is needed after that'

type Row = [name: string, before: FleetFacts | undefined, after: FleetFacts, want: readonly string[]]
const cases: readonly Row[] = [
  [
    'at first: who is there, and that all is well',
    undefined,
    agreed,
    ['servers: one x, two x', 'all agreed: 1 resource'],
  ],
  [
    'at first: what is wrong',
    undefined,
    torn,
    ['servers: one x, two x', `things.example.dev: disagreed: ${differ}`, '1 of 1 resource is not agreed'],
  ],
  ['nothing has changed', agreed, agreed, []],
  [
    'a server begins to encode another version',
    agreed,
    torn,
    [
      `things.example.dev: agreed v1 → disagreed (two encodes v2): ${differ}`,
      '1 of 1 resource is not agreed',
    ],
  ],
  [
    'agreement comes back',
    torn,
    agreed,
    ['things.example.dev: disagreed → agreed v1', 'all agreed: 1 resource'],
  ],
  [
    'all move at once',
    agreed,
    { records: [record([entry('a', v2), entry('b', v2)], { agreedVersion: v2 })], leases },
    ['things.example.dev: agreed v1 → agreed v2'],
  ],
  [
    'a server restarts in another release',
    agreed,
    { ...agreed, leases: [leases[0] as Lease, run('b', 'two', 'b_2', 'x+1')] },
    ['two restarted, release x → x+1'],
  ],
  [
    'a server joins, and has no entry yet',
    agreed,
    { ...agreed, leases: [...leases, run('c', 'zoo', 'c_1')] },
    [
      'zoo joined, release x',
      'things.example.dev: agreed v1 → disagreed: no entry from zoo: is it starting, is it a release without agreement, or is this resource turned off there (feature gates, --runtime-config)?',
      '1 of 1 resource is not agreed',
    ],
  ],
  [
    'a server leaves',
    agreed,
    { records: [record([entry('a', v1)], agreedOnV1)], leases: leases.slice(0, 1) },
    ['two left'],
  ],
  [
    'the first server leaves, and the second takes its column: no line names columns',
    { records: [record([entry('a', v1), entry('b', v1)], agreedOnV1)], leases },
    { records: [record([entry('b', v1)], agreedOnV1)], leases: leases.slice(1) },
    ['one left'],
  ],
  [
    'a server is gone and has left its entry',
    agreed,
    { ...agreed, leases: leases.slice(0, 1) },
    [
      'two has no Lease any more; its entries are left',
      'things.example.dev: agreed v1 → disagreed: an entry but no Lease from b: it is removed within minutes by any server that collects expired servers (the default); if none runs, start "strata controllers"',
      '1 of 1 resource is not agreed',
    ],
  ],
  [
    'a vote begins, and is held up',
    { records: [voting([voter('a', v1, v1), voter('b', v1, v1)], v1)], leases },
    { records: [voting([voter('a', v1, v2), voter('b', v1, v1)], v1)], leases },
    [
      'things.example.dev: vote: v1 stays selected while two prefers v1 and one prefers v2: finish the upgrade or roll it back; until then all servers write v1',
    ],
  ],
  [
    'a vote is over',
    { records: [voting([voter('a', v1, v2), voter('b', v1, v1)], v1)], leases },
    { records: [voting([voter('a', v2, v2), voter('b', v2, v2)], v2)], leases },
    [
      'things.example.dev: agreed v1 → agreed v2',
      'things.example.dev: selected v1 → selected v2',
      'things.example.dev: vote: all servers prefer v2',
    ],
  ],
  [
    'at first: what is not served, and that is not called agreed',
    undefined,
    refusing('things.example.dev'),
    ['servers: one x, two x', `things.example.dev: NOT SERVED: ${notServed}`],
  ],
  [
    'a server serves what it refused',
    refusing('things.example.dev'),
    refusing(''),
    ['things.example.dev: every server serves it again', 'all agreed: 1 resource'],
  ],
  [
    'a server does not take over its encryption file',
    agreed,
    withRefusedFile,
    ['one rejected its changed encryption file: its log says why'],
  ],
  [
    'a server has taken over its encryption file',
    withRefusedFile,
    agreed,
    ['one uses its encryption file again'],
  ],
  [
    'a gap is recorded',
    agreed,
    withStatus({
      recordingGap: { epoch: 4, at: '', reason: 'ServersDoNotRecord', message: 'StorageVersionAPI was off' },
    }),
    ['things.example.dev: recording gap: StorageVersionAPI was off'],
  ],
  [
    'a guard is given up',
    agreed,
    withStatus({ conditions: [] }),
    ['things.example.dev: not every write is guarded any more: agreement is observed, not proven'],
  ],
  [
    'no server answers: the last known state may be outdated',
    agreed,
    { ...agreed, unseen },
    ['cannot see the fleet, trying again: connection refused'],
  ],
  [
    'a server answers again',
    { ...agreed, unseen },
    agreed,
    ['the fleet is seen again', 'all agreed: 1 resource'],
  ],
]
const look = (facts: FleetFacts): FleetStatus =>
  describeFleet(facts, nowMs, { resources: [], expectedServers: 0, byInstance: true })
for (const [name, before, after, want] of cases) {
  test(`status changes: ${name}`, () => {
    assert.deepEqual(describeChanges(before && look(before), look(after)), want)
  })
}

test('status changes: what happens to many resources at once is one line', () => {
  const of = (record: StorageAgreement): StorageAgreement[] =>
    ['a', 'b', 'c', 'd'].map((resource) => ({ ...record, spec: { group: '', resource } }))
  const [line] = describeChanges(
    look({ records: of(agreed.records[0] as StorageAgreement), leases }),
    look({ records: of(torn.records[0] as StorageAgreement), leases }),
  )
  assert.equal(line, `4 resources (a, b, …): agreed v1 → disagreed (two encodes v2): ${differ}`)
})

test('status changes: silence begins and ends without any other news', () => {
  const at = (renewTime: string): FleetFacts => ({
    ...agreed,
    leases: [{ ...(leases[0] as Lease), spec: { holderIdentity: 'a_1', renewTime } }, leases[1] as Lease],
  })
  const quick = look(at('2026-01-01T00:01:29Z'))
  const late = look(at('2025-12-31T23:00:00Z'))
  assert.deepEqual(describeChanges(quick, late), ['one is silent'])
  assert.deepEqual(describeChanges(late, quick), ['one renews its Lease again'])
})

test('status changes: a vote that freezes for all resources is one line, whatever is selected of each', () => {
  const of = (expectedServers: number): StorageAgreement[] =>
    ['v1', 'v2', 'v3', 'v4'].map((selectedVersion) => ({
      ...record(
        ['a', 'b'].map((id) => ({ ...entry(id, selectedVersion), expectedServers })),
        { agreedVersion: selectedVersion, selectedVersion },
      ),
      spec: { group: '', resource: selectedVersion },
    }))
  const free = look({ records: of(0), leases })
  const held = look({ records: of(3), leases })
  const all = '4 resources (v1, v2, …)'
  assert.deepEqual(describeChanges(free, held), [
    `${all}: the vote is frozen: 2 of 3 expected servers are there: start the others`,
  ])
  assert.deepEqual(describeChanges(held, free), [`${all}: the vote is not frozen any more`])
})
