import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type AgreementEntry, type AgreementStatus, type Lease, unseenServersAnnotation } from '@strata/api'
import { describeFleet, unknownResources } from '@strata/insight'
import { agreedOnV1, entry, lease, nowMs, record } from '@strata/insight/records-for-test'
import { renderStatus } from './render-status.ts'

const v1 = 'example.dev/v1'
const v2 = 'example.dev/v2'
const some = { all: false, wide: false }
const voter = (
  serverID: string,
  preferredVersion: string,
  more: Partial<AgreementEntry> = {},
): AgreementEntry => ({
  ...entry(serverID, v1),
  preferredVersion,
  ...more,
})
const selectedV1: Partial<AgreementStatus> = {
  ...agreedOnV1,
  selectedVersion: v1,
  selectedSince: '2026-01-01T00:01:00Z',
}
const both = [lease('a', 'one'), lease('b', 'two')]
const frozen: Partial<AgreementStatus> = {
  ...selectedV1,
  conditions: [
    {
      type: 'SelectionUnanimous',
      status: 'False',
      lastTransitionTime: '',
      reason: 'VoteFrozen',
      message:
        'example.dev/v1 stays selected until everyone is there: 2 of 3 expected servers have a candidate',
    },
  ],
}

type Row = [
  name: string,
  entries: readonly AgreementEntry[],
  status: Partial<AgreementStatus>,
  leases: Lease[],
  agreed: boolean,
  shown: readonly RegExp[],
]
const cases: readonly Row[] = [
  [
    'a vote that all are of one mind about needs no row',
    [voter('a', v1), voter('b', v1)],
    selectedV1,
    both,
    true,
    [/^All servers agree on the version of every resource: 1 resource agreed \(--all lists it\)\.$/m],
  ],
  [
    'candidates that differ hold the vote up, although all servers agree',
    [voter('a', v2), voter('b', v1)],
    selectedV1,
    both,
    true,
    [
      /^things\.example\.dev +v1 +90s +3 +yes +v1, 30s +v1 \(v2\) prefers v2 +v1 \(v2\)$/m,
      /^Vote: things\.example\.dev: v1 stays selected while S2 \(two\) prefers v1 and S1 \(one\) prefers v2: finish the upgrade or roll it back;/m,
    ],
  ],
  [
    'who does not vote is a candidate for what it encodes',
    [voter('a', v2), entry('b', v1)],
    selectedV1,
    both,
    true,
    [/v1 stays selected while S2 \(two\) prefers v1 and/],
  ],
  [
    'candidates that are all for another version are about to move the selection',
    [voter('a', v2), voter('b', v2)],
    selectedV1,
    both,
    true,
    [/S1 \(one\), S2 \(two\) prefer v2: the selection moves at the next evaluation/],
  ],
  [
    'a live server without a candidate freezes the vote, and is named',
    [voter('a', v2)],
    selectedV1,
    both,
    false,
    [
      /^Vote: things\.example\.dev: the vote is frozen: no candidate from S2 \(two\);/m,
      /no entry from S2 \(two\)/,
    ],
  ],
  [
    'who is expected and cannot be seen freezes the vote too, in words that are the same for every resource',
    [voter('a', v1, { expectedServers: 3 }), voter('b', v1)],
    frozen,
    both,
    true,
    [
      /^Vote: things\.example\.dev: the vote is frozen: 2 of 3 expected servers are there: start the others\.$/m,
    ],
  ],
  [
    'who cannot write what is selected refuses, and that is as bad as disagreement',
    [voter('a', v1), voter('b', v2, { decodableVersions: [v2], refusesWrites: true })],
    selectedV1,
    both,
    false,
    [
      /refuses \(v2\) prefers v2$/m,
      /^WRITES ARE REFUSED:\n {2}things\.example\.dev: S2 \(two\) refuses writes and is not ready: v1 is selected, and it cannot write that; start a release there that can write v1, or move all other servers to a release that prefers v2$/m,
      /; until then S1 \(one\) writes v1, and S2 \(two\) refuses writes\.$/m,
      /^The servers that write agree on the version of every resource, but see the problems above: 1 resource agreed\.$/m,
    ],
  ],
  [
    'a loose server is named: agreement is observed there, not proven',
    [voter('a', v1), voter('b', v1, { guarantee: 'loose' })],
    { ...selectedV1, conditions: [] },
    both,
    true,
    [
      /^Note: things\.example\.dev: S2 \(two\) writes without the guard \(loose\): agreement is observed, not proven\.$/m,
    ],
  ],
  [
    'one that went without a farewell is named too, until it cannot write any more',
    [voter('a', v1), voter('b', v1)],
    {
      ...{ ...selectedV1, conditions: [] },
      looseUntilSettled: [{ serverID: 'c', process: 'c_1', since: '', recordRevision: 7 }],
    },
    both,
    true,
    [
      /^Note: things\.example\.dev: c \(loose\) ended without a shutdown and may still write: nothing is proven/m,
    ],
  ],
  [
    'a gap is shown, with its reason',
    [voter('a', v1), voter('b', v1)],
    {
      ...selectedV1,
      recordingGap: {
        epoch: 2,
        at: '2026-01-01T00:00:00Z',
        reason: 'ServersDoNotRecord',
        message: 'StorageVersionAPI was off',
      },
    },
    both,
    true,
    [
      /^Note: things\.example\.dev: recording gap \(StorageVersionAPI was off\): objects written then may be/m,
    ],
  ],
  [
    'a live server that writes without recording is named, and what to do',
    [voter('a', v1)],
    selectedV1,
    [
      lease('a', 'one'),
      { ...lease('b'), metadata: { name: 'b', annotations: { 'strata.dev/records-writes': 'false' } } },
    ],
    false,
    [/S2 \(b\) writes without recording: restart it with --feature-gates StorageVersionAPI=true/],
  ],
  [
    'a server without a Lease is named by its process, with what to do',
    [voter('a', v1), voter('b', v1)],
    { ...selectedV1, unseenProcesses: ['u_1'] },
    both,
    false,
    [
      /u_1 has no identity Lease and writes without recording: restart it with --feature-gates APIServerIdentity=true/,
    ],
  ],
  [
    'several of them are described as several',
    [voter('a', v1), voter('b', v1)],
    { ...selectedV1, unseenProcesses: ['u_1', 'u_2'] },
    both,
    false,
    [
      /u_2 have no identity Lease and write without recording: restart them with --feature-gates APIServerIdentity=true/,
    ],
  ],
]
test('status of a vote: the name of a server without identity that guards its writes is removed by a server', () => {
  const seen = record([voter('a', v1)], { ...selectedV1, unseenProcesses: ['u_1'] })
  const states = { process: 'u_1', since: '2026-01-01T00:00:00Z', writeKey: 'identity', readableKeys: [] }
  const annotations = { [unseenServersAnnotation]: JSON.stringify([states]) }
  const stated = { ...seen, metadata: { ...seen.metadata, annotations } }
  const { resources } = describeFleet({ records: [stated], leases: both }, nowMs)
  assert.match(
    resources[0]?.problems.join('\n') ?? '',
    /; if it was killed, its name is removed within minutes by any server that collects expired servers \(the default\); if none runs, start "strata controllers"$/m,
  )
})
test('status of a vote: the command that removes a server without a Lease is that of docs/design/agreement.md', async () => {
  const status = { ...selectedV1, unseenProcesses: ['u_1'] }
  const { resources } = describeFleet({ records: [record([voter('a', v1)], status)], leases: both }, nowMs)
  const [command = 'none'] = /kubectl get .*/.exec(resources[0]?.problems.join('\n') ?? '') ?? []
  const design = await readFile(join(import.meta.dirname, '../../../../docs/design/agreement.md'), 'utf8')
  assert.ok(design.includes(`\`${command}\``), command)
})
for (const [name, entries, status, leases, agreed, shown] of cases) {
  test(`status of a vote: ${name}`, () => {
    const seen = describeFleet({ records: [record(entries, status)], leases }, nowMs)
    const text = renderStatus(seen, nowMs, some)
    assert.equal(seen.agreed, agreed, text)
    for (const each of shown) assert.match(text, each)
  })
}

test('status: what there is to say is said once for all resources, and rows are few', () => {
  const many = Array.from({ length: 120 }, (_, index) => ({
    ...record([entry('a', v1)], agreedOnV1),
    spec: { group: 'example.dev', resource: `things${index + 100}` },
  }))
  const seen = describeFleet({ records: many, leases: both }, nowMs)
  const shown = renderStatus(seen, nowMs, some)
  assert.match(shown, /\n… and 117 more that need attention \(--all shows them\)\n/)
  assert.match(
    shown,
    /^ {2}120 resources \(things100\.example\.dev, things101\.example\.dev, …\): no entry from S2 \(two\)/m,
  )
  assert.ok(shown.split('\n').length < 40)
  assert.equal(renderStatus(seen, nowMs, { all: true, wide: true }).match(/^things/gm)?.length, 120)
})

test('status: named resources alone are judged, and fewer servers than expected are no agreement', () => {
  const other = { ...record([entry('a', v1)], agreedOnV1), spec: { group: '', resource: 'configmaps' } }
  const torn = record([entry('a', v1), entry('b', v2)])
  const facts = { records: [torn, other], leases: [lease('a', 'one')] }
  const ask = (resources: string[], expectedServers = 0) =>
    describeFleet(facts, nowMs, { resources, expectedServers })
  assert.deepEqual([ask(['configmaps']).agreed, ask(['things']).agreed, ask([]).agreed], [true, false, false])
  assert.deepEqual(
    ask(['example.dev.things', 'core.configmaps']).resources.map(({ resource }) => resource),
    ['configmaps', 'things.example.dev'],
  )
  assert.deepEqual(unknownResources(['thing', 'things', 'dev.things'], facts), ['thing', 'dev.things'])
  const shown = (resources: string[]) =>
    renderStatus(ask(resources), nowMs, { ...some, all: true, named: true })
  assert.match(shown(['configmaps']), /^All servers agree on the version of the resource named: 1 resource/m)
  assert.deepEqual(ask(['configmaps'], 2).problems, ['1 of 2 expected servers are there: start the others'])
  assert.equal(ask(['configmaps'], 2).agreed, false)
})
