import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideUnseenNames, type UnseenMemory, type UnseenNames } from './decide-unseen-names.ts'
import type { StorageAgreement } from './storage-agreement.ts'
import { unseenServersAnnotation } from './unseen-servers.ts'

const frozen = { group: 'coordination.k8s.io', resource: 'leases' }
const ordinary = { group: '', resource: 'configmaps' }

/** A record that names processes; those that end in a star guard nothing, and state nothing. */
function record(spec: StorageAgreement['spec'], ...named: readonly string[]): StorageAgreement {
  const stated = named
    .filter((each) => !each.endsWith('*'))
    .map((process) => ({ process, since: 't', writeKey: 'k', readableKeys: ['k'] }))
  return {
    metadata: {
      name: `${spec.group}.${spec.resource}`,
      annotations: { [unseenServersAnnotation]: JSON.stringify(stated) },
    },
    spec,
    status: { unseenProcesses: named } as unknown as StorageAgreement['status'],
  }
}
const [leases, maps] = ['coordination.k8s.io.leases', '.configmaps']
const minute: UnseenMemory = { sinceMs: 0, intervalMs: 60_000 }
const challenged: UnseenMemory = { ...minute, challenge: { record: leases, atMs: 60_000 } }
const both = [record(ordinary, 'u_1'), record(frozen, 'u_1')]
const gone = [record(ordinary, 'u_1'), record(frozen)]

interface Case {
  readonly name: string
  readonly records: readonly StorageAgreement[]
  readonly before?: UnseenMemory
  readonly nowMs: number
  /** Where the name is removed. */
  readonly remove: readonly string[]
  readonly after: UnseenMemory | undefined
  readonly lookAgainMs: number | undefined
}
const cases: readonly Case[] = [
  {
    name: 'no server is named',
    records: [record(frozen)],
    nowMs: 0,
    remove: [],
    after: undefined,
    lookAgainMs: undefined,
  },
  { name: 'first seen: watched', records: both, nowMs: 0, remove: [], after: minute, lookAgainMs: 60_000 },
  {
    name: 'not yet',
    records: both,
    before: minute,
    nowMs: 59_000,
    remove: [],
    after: minute,
    lookAgainMs: 1_000,
  },
  {
    name: 'challenged in one record, of a frozen kind',
    ...{ records: both, before: minute, nowMs: 60_000, remove: [leases] },
    ...{ after: challenged, lookAgainMs: 20_000 },
  },
  {
    name: 'challenged in any record where none is of a frozen kind',
    ...{ records: [record(ordinary, 'u_1')], before: minute, nowMs: 60_000, remove: [maps] },
    ...{ after: { ...minute, challenge: { record: maps, atMs: 60_000 } }, lookAgainMs: 20_000 },
  },
  {
    name: 'a view that still shows the name is not an answer',
    ...{
      records: both,
      before: challenged,
      nowMs: 60_100,
      remove: [],
      after: challenged,
      lookAgainMs: 19_900,
    },
  },
  {
    name: 'it answers: left alone for twice as long',
    ...{ records: both, before: challenged, nowMs: 70_000, remove: [] },
    ...{ after: { sinceMs: 70_000, intervalMs: 120_000 }, lookAgainMs: 120_000 },
  },
  {
    name: 'for an hour at most',
    ...{ records: both, before: { ...challenged, intervalMs: 3_000_000 }, nowMs: 70_000, remove: [] },
    ...{ after: { sinceMs: 70_000, intervalMs: 3_600_000 }, lookAgainMs: 3_600_000 },
  },
  {
    name: 'it may still answer',
    ...{
      records: gone,
      before: challenged,
      nowMs: 79_000,
      remove: [],
      after: challenged,
      lookAgainMs: 1_000,
    },
  },
  {
    name: 'it does not answer: removed everywhere',
    ...{ records: gone, before: challenged, nowMs: 80_000, remove: [maps] },
    ...{ after: challenged, lookAgainMs: undefined },
  },
  {
    name: 'one that guards nothing is left, however long it stands',
    ...{ records: [record(ordinary, 'u_1*'), record(frozen, 'u_1*')], before: challenged, nowMs: 9_000_000 },
    ...{ remove: [], after: undefined, lookAgainMs: undefined },
  },
]
for (const { name, records, before, nowMs, remove, after, lookAgainMs } of cases) {
  test(`unseen names, collected: ${name}`, () => {
    const memory = new Map<string, UnseenMemory>(before ? [['u_1', before]] : [])
    const decided: UnseenNames = decideUnseenNames({ records, memory, nowMs })
    assert.deepEqual(
      decided.remove,
      remove.map((each) => ({ record: each, process: 'u_1' })),
    )
    assert.deepEqual(decided.memory.get('u_1'), after)
    assert.equal(decided.lookAgainMs, lookAgainMs)
  })
}
