import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AgreementEntry, type AgreementStatus, looseSettledMs } from '@strata/api'
import { LooseWatch } from '../registration/loose-watch.ts'
import { type AgreementFacts, decideAgreement } from './decide-agreement.ts'
import { looseMarkKey } from './decide-loose-marks.ts'

const entry = (process: string, more: Partial<AgreementEntry> = {}): AgreementEntry => ({
  ...{ serverID: process.slice(0, 1), process, encodingVersion: 'v2', encoderFingerprint: 'f' },
  ...{ decodableVersions: ['v2'], servedVersions: [], writeKey: 'identity', readableKeys: ['identity'] },
  guarantee: 'strict',
  ...more,
})
const loose = { guarantee: 'loose' } as const
const strict = entry('a_1')
const decide = (
  previous: AgreementStatus | undefined,
  entries: readonly AgreementEntry[],
  facts: Partial<AgreementFacts> = {},
): AgreementStatus => {
  const liveServers = new Set(entries.map(({ serverID }) => serverID))
  return decideAgreement({ previous, entries, liveServers, now: 'now', previousRevision: 7, ...facts })
}
const fencedIn = ({ conditions }: AgreementStatus) =>
  conditions.find(({ type }) => type === 'Fenced')?.status === 'True'
const marked = ({ looseUntilSettled = [] }: AgreementStatus) => looseUntilSettled.map(looseMarkKey)

type Row = [
  name: string,
  before: readonly AgreementEntry[],
  after: readonly AgreementEntry[],
  facts: Partial<AgreementFacts>,
  marks: readonly string[],
  isFenced: boolean,
]
const rows: readonly Row[] = [
  ['a strict server that is gone cannot write', [strict, entry('b_1')], [strict], {}, [], true],
  ['a loose one that is gone may', [strict, entry('b_1', loose)], [strict], {}, ['b_1 7'], false],
  [
    'also one that refused',
    [strict, entry('b_1', { ...loose, refusesWrites: true })],
    [strict],
    {},
    ['b_1 7'],
    false,
  ],
  [
    'not if the process removes its own entry',
    [strict, entry('b_1', loose)],
    [strict],
    { leavingProcess: 'b_1' },
    [],
    true,
  ],
  [
    'not with that of another',
    [strict, entry('b_1', loose)],
    [strict],
    { leavingProcess: 'c_1' },
    ['b_1 7'],
    false,
  ],
  [
    'a process of its name is not it',
    [strict, entry('b_1', loose)],
    [strict, entry('b_2')],
    {},
    ['b_1 7'],
    false,
  ],
]
for (const [name, before, after, facts, marks, isFenced] of rows) {
  test(`loose marks: ${name}`, () => {
    const status = decide(decide(undefined, before), after, facts)
    assert.deepEqual(marked(status), marks)
    assert.equal(fencedIn(status), isFenced)
  })
}

test('loose marks: one stands through every change until it has been watched, and the epoch goes with it', () => {
  const left = decide(decide(undefined, [strict, entry('b_1', loose)]), [strict])
  const joined = decide(left, [strict, entry('c_1')])
  assert.deepEqual([marked(joined), fencedIn(joined), joined.epoch], [['b_1 7'], false, left.epoch])
  const other = decide(joined, joined.servers, { settledLoose: new Set(['b_1 6']) })
  assert.deepEqual(other, joined)
  const settled = decide(joined, joined.servers, { settledLoose: new Set(['b_1 7']) })
  assert.deepEqual([marked(settled), fencedIn(settled), settled.epoch], [[], true, left.epoch + 1])
})

test('loose marks: a process that comes back takes its own away, and gets another when it is expelled again', () => {
  const both = [strict, entry('b_1', loose)]
  const back = decide(decide(decide(undefined, both), [strict]), both, { previousRevision: 8 })
  assert.deepEqual([marked(back), fencedIn(back)], [[], false])
  assert.deepEqual(marked(decide(back, [strict], { previousRevision: 9 })), ['b_1 9'])
})

// What it wrote before it knew stands after the revision from which on everything is said to be in one encoding.
test('loose marks: another epoch begins also when a loose server that refused removes its own entry', () => {
  const before = decide(undefined, [strict, entry('b_1', { ...loose, refusesWrites: true })])
  const after = decide(before, [strict], { leavingProcess: 'b_1' })
  assert.deepEqual([fencedIn(after), after.epoch, after.epochRevision], [true, before.epoch + 1, undefined])
})

test('loose marks: a full stop of loose servers keeps the epoch', () => {
  const before = decide(undefined, [entry('b_1', loose)])
  const stopped = decide(before, [], { leavingProcess: 'b_1' })
  assert.equal(decide(stopped, [entry('b_2', loose)]).epoch, before.epoch)
})

test('loose watch: the time of a mark begins when it is seen, and anew for another', () => {
  const watch = new LooseWatch()
  const mark = { serverID: 'b', process: 'b_1', since: 'now', recordRevision: 7 }
  watch.observe('things', { looseUntilSettled: [mark] }, 1_000)
  watch.observe('things', { looseUntilSettled: [mark] }, 50_000)
  assert.deepEqual(watch.due(1_000 + looseSettledMs - 1), [])
  assert.deepEqual(watch.due(1_000 + looseSettledMs), ['things'])
  watch.observe('things', { looseUntilSettled: [{ ...mark, recordRevision: 9 }] }, 60_000)
  assert.deepEqual(watch.due(1_000 + looseSettledMs), [])
  assert.deepEqual([...watch.settled('things', 60_000 + looseSettledMs)], ['b_1 9'])
  watch.observe('things', {}, 61_000)
  assert.deepEqual(watch.due(1_000_000), [])
})
