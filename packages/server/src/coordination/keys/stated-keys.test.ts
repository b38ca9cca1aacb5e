import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AgreementEntry, type StorageAgreement, unseenServersAnnotation } from '@strata/api'
import type { HeldLease } from '../record/agreement-records.ts'
import { decideWriteKey } from './decide-write-key.ts'
import { endedEntries, type StatedKeys, statedKeysForHolder, statedKeysForUnseen } from './stated-keys.ts'

const self = { serverID: 'u', process: 'u_3' }
const states = (process: string, ...readableKeys: string[]) => ({
  ...{ process, since: 't', writeKey: readableKeys[0] ?? 'k', readableKeys },
})
const record = (...stated: ReturnType<typeof states>[]): StorageAgreement =>
  ({
    metadata: { annotations: { [unseenServersAnnotation]: JSON.stringify(stated) } },
    status: { unseenProcesses: stated.map(({ process }) => process) },
  }) as unknown as StorageAgreement
const entry = (serverID: string, run: number): StatedKeys => ({
  ...{ serverID, process: `${serverID}_${run}`, writeKey: 'k', readableKeys: ['k'] },
})
const processes = (statedKeys: readonly StatedKeys[]): readonly string[] =>
  statedKeys.map(({ process }) => process)

const holders: ReadonlyArray<
  [
    name: string,
    record: StorageAgreement | undefined,
    entries: readonly StatedKeys[],
    want: readonly string[],
  ]
> = [
  ['no record yet', undefined, [], []],
  ['its own entry and those of others', record(), [entry('u', 3), entry('d', 1)], ['u_3', 'd_1']],
  ['not the entry of an earlier run: this process holds the Lease', record(), [entry('u', 2)], []],
  ['another server without an identity', record(states('d_1', 'k')), [], ['d_1']],
  ['a process under the same server ID: it may be alive', record(states('u_1', 'k')), [], ['u_1']],
]
for (const [name, before, entries, want] of holders) {
  test(`key statedKeys, with an identity: ${name}`, () =>
    assert.deepEqual(processes(statedKeysForHolder(before, entries, self)), want))
}

const unseen: ReadonlyArray<
  [name: string, record: StorageAgreement, entries: readonly StatedKeys[], want: string[]]
> = [
  ['a second process under the same server ID', record(states('u_1', 'k')), [], ['u_1']],
  [
    'an entry under the same server ID, which may be that of a live process',
    record(),
    [entry('u', 2)],
    ['u_2'],
  ],
  ['its own statement', record(states('u_3', 'k')), [], ['u_3']],
  ['another server', record(states('d_1', 'k')), [], ['d_1']],
]
for (const [name, before, entries, want] of unseen) {
  test(`key statedKeys, without an identity: ${name}`, () =>
    assert.deepEqual(processes(statedKeysForUnseen(before, entries)), want))
}

test('a key that a second process under the same server ID does not read is not taken', () => {
  const decide = (...stated: ReturnType<typeof states>[]) =>
    decideWriteKey({
      keys: { preferred: 'two', writable: ['two'], readable: ['two', 'one'], retired: [] },
      ...{ process: self.process, isFleetComplete: false, unregistered: [], elsewhere: 'two' },
      previous: { epoch: 1, encodings: ['v1 one f strict'], persisted: [] },
      entries: statedKeysForUnseen(record(...stated), []),
    }).keyProblem
  const own = states('u_3', 'one', 'two')
  assert.match(
    decide(states('u_1', 'one'), own) ?? '',
    /this server can write under two only, which u_1 cannot read/,
  )
  assert.equal(decide(own), undefined)
})

const lease = (holder: string, isGone = false): HeldLease => ({
  ...{ revision: 7, holder, isGone: () => isGone, isIdentity: true, records: true },
})
const ended: ReadonlyArray<[name: string, lease: HeldLease | undefined, want: unknown]> = [
  ['its process holds the Lease', lease('u_1'), undefined],
  ['its process held the Lease on this host, and has ended', lease('u_1', true), 7],
  ['the Lease is absent', undefined, 'absent'],
  ['another process has taken the Lease, and has ended', lease('u_2', true), undefined],
]
for (const [name, held, want] of ended) {
  test(`key statedKeys, an entry that speaks for no process: ${name}`, () => {
    const leases = new Map(held ? [['u', held]] : [])
    const found = endedEntries({ entries: [entry('u', 1) as AgreementEntry], leases })
    assert.deepEqual(
      found.map(({ guard }) => guard.revision),
      want === undefined ? [] : [want],
    )
  })
}
