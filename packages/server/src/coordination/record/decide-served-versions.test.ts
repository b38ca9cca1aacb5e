import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry, AgreementStatus } from '@strata/api'
import { decideAgreement } from './decide-agreement.ts'
import { decideServedVersions, type ServedFacts } from './decide-served-versions.ts'

// Versions of the lighthouse's releases.
const [x, x1, x3] = [['v1'], ['v1', 'v2'], ['v2']]

const cases: ReadonlyArray<
  [
    name: string,
    previous: readonly string[] | undefined,
    served: ServedFacts['served'],
    isComplete: boolean,
    want: readonly string[],
    mayGrow?: boolean,
  ]
> = [
  ['one release', ['v1'], [x, x, x], true, ['v1']],
  ['the first of three is upgraded', ['v1'], [x1, x, x], true, ['v1']],
  ['two of three are upgraded', ['v1'], [x1, x1, x], true, ['v1']],
  ['the last one is upgraded', ['v1'], [x1, x1, x1], true, ['v1', 'v2']],
  ['the last one is starting', ['v1'], [x1, x1], false, ['v1']],
  ['the last one has left, and may come back as it was', ['v1'], [x1, x1], true, ['v1'], false],
  ['a server that starts takes nothing away', ['v1', 'v2'], [x1, x1], false, ['v1', 'v2']],
  ['the first of a rollback takes the new version away', ['v1', 'v2'], [x1, x1, x], true, ['v1']],
  ['… whether or not anything may grow', ['v1', 'v2'], [x1, x1, x], true, ['v1'], false],
  ['… also while another one is starting', ['v1', 'v2'], [x1, x], false, ['v1']],
  ['… which does not come back while one is starting', ['v1'], [x1, x1], false, ['v1']],
  [
    'a version that is served no more goes with the first that does not',
    ['v1', 'v2'],
    [x1, x3],
    true,
    ['v2'],
  ],
  ['releases that have nothing in common', ['v1'], [x, x3], true, []],
  ['… also while one is starting', ['v1'], [x, x3], false, []],
  ['nobody is there: what was served is remembered', ['v1'], [], true, ['v1']],
  ['nobody was ever there', undefined, [], true, []],
  ['the first server of all', undefined, [x1], true, ['v1', 'v2']],
  ['… while others are starting: they may not have the kind at all', undefined, [x1], false, []],
  ['… while nothing is served yet', [], [x1], false, []],
  ['a kind that nobody served does not come because one that lacks it has left', [], [x1], true, [], false],
  ['a kind that one server lacks goes', ['v1'], [x1, []], true, []],
  ['… also while another one is starting', ['v1'], [x1, []], false, []],
  ['after a full stop, another release while others are starting', ['v1'], [x3], false, ['v2']],
  ['the order does not matter', undefined, [['v2', 'v1'], x1], true, ['v1', 'v2']],
]
for (const [name, previous, served, isComplete, want, mayGrow = true] of cases) {
  test(`served by all: ${name}`, () => {
    assert.deepEqual(decideServedVersions({ previous, served, isComplete, mayGrow }), want)
    assert.deepEqual(
      decideServedVersions({ previous, served: served.toReversed(), isComplete, mayGrow }),
      want,
    )
  })
}

test('served by all: a kind that waits for one who never speaks comes when it has been quiet for a while', () => {
  const facts = { previous: [], served: [x1], isComplete: false, mayGrow: true, isSettled: true }
  assert.deepEqual(decideServedVersions(facts), ['v1', 'v2'])
  assert.deepEqual(decideServedVersions({ ...facts, served: [x1, []] }), [])
})

test('served by all: a kind that nobody has served does not wait for one that does not record, and nothing else comes', () => {
  const facts = { isComplete: false, haveAllReported: true, mayGrow: true }
  for (const previous of [undefined, []]) {
    assert.deepEqual(decideServedVersions({ ...facts, previous, served: [x1] }), ['v1', 'v2'])
    assert.deepEqual(decideServedVersions({ ...facts, previous, served: [x1], mayGrow: false }), [])
  }
  assert.deepEqual(decideServedVersions({ ...facts, previous: ['v1'], served: [x1] }), ['v1'])
  assert.deepEqual(
    decideServedVersions({ ...facts, previous: ['v1'], served: [x1], isSettled: true }),
    ['v1'],
    'for as long as it is there',
  )
})

const entry = (serverID: string, servedVersions: readonly string[], run = 1): AgreementEntry => ({
  ...{ serverID, process: `${serverID}_${run}`, encodingVersion: 'v1', decodableVersions: ['v1', 'v2'] },
  ...{ servedVersions, guarantee: 'strict', writeKey: 'identity', readableKeys: ['identity'] },
  encoderFingerprint: 'f',
})
/** What the record says after each step. */
const told = (
  ...steps: [
    entries: AgreementEntry[],
    more?: {
      registered?: string[]
      starting?: string[]
      unrecorded?: string[]
      isSettled?: boolean
    },
  ][]
): string[] => {
  let previous: AgreementStatus | undefined
  return steps.map(([entries, more = {}]) => {
    const { registered = [], starting = [], unrecorded = [], isSettled = false } = more
    const ids = entries.map(({ serverID }) => serverID)
    previous = decideAgreement({
      ...{ previous, entries, isSettled, now: 'now' },
      registered: new Set([...ids, ...registered]),
      liveServers: new Set([...ids, ...registered, ...starting, ...unrecorded]),
      unrecorded: new Set(unrecorded),
    })
    const { servedVersions, heldBackBy } = previous
    return `${servedVersions?.join()}${heldBackBy ? ` for ${heldBackBy.join()}` : ''}`
  })
}

test('served by all: whoever held a version back is remembered while others come and go', () => {
  const [a, b, c] = [entry('a', x1), entry('b', x1), entry('c', x)]
  const [a2, c2, c3] = [entry('a', x1, 2), entry('c', x, 2), entry('c', x1, 3)]
  const halfWay = [[a, b, c]] as [AgreementEntry[]]
  assert.deepEqual(told(halfWay, [[a, b]], [[b]], [[a2, b]], [[a2, b, c2]]), [
    ...['v1 for c', 'v1 for c', 'v1 for c', 'v1 for c', 'v1 for c'],
  ])
  assert.deepEqual(told(halfWay, [[a, b]], [[a2, b]], [[a2, b, c3]]).at(-1), 'v1,v2')
  assert.deepEqual(told(halfWay, [[a, b]], [[a2, b], { isSettled: true }]).at(-1), 'v1,v2')
})

test('served by all: who has registered and has no entry does not serve the kind, who is starting may', () => {
  const [a, b] = [entry('a', x1), entry('b', x1)]
  assert.deepEqual(told([[a]], [[a], { starting: ['b'] }], [[a], { registered: ['b'] }]), [
    ...['v1,v2', 'v1,v2', ' for b'],
  ])
  assert.deepEqual(told([[a], { starting: ['b'] }], [[a], { registered: ['b'] }], [[a, b]]), [
    ...['', ' for b', 'v1,v2'],
  ])
  const custom = { ...a, isCustom: true }
  assert.deepEqual(told([[custom]], [[custom], { registered: ['b'] }]), ['v1,v2', 'v1,v2'])
})

test('served by all: one that does not record holds back what is new, by its name, until it leaves or records', () => {
  const [a, a2, b] = [entry('a', x), entry('a', x1, 2), entry('b', x1)]
  const beside = { unrecorded: ['b'] }
  // An empty store, whoever comes first; and one that is starting and will speak is waited for all the same.
  assert.deepEqual(told([[a], beside]), ['v1'])
  assert.deepEqual(told([[], beside], [[a], beside]), ['', 'v1'])
  assert.deepEqual(told([[a], { ...beside, starting: ['c'] }], [[a, entry('c', x)], beside]), [
    ' for b',
    'v1',
  ])
  const upgraded = [[a], beside] as [AgreementEntry[], typeof beside]
  assert.deepEqual(told(upgraded, [[a2], beside], [[a2], { ...beside, isSettled: true }]), [
    ...['v1', 'v1 for b', 'v1 for b'],
  ])
  assert.deepEqual(told(upgraded, [[a2], beside], [[a2]], [[a2], { isSettled: true }]), [
    ...['v1', 'v1 for b', 'v1 for b', 'v1,v2'],
  ])
  assert.deepEqual(told(upgraded, [[a2], beside], [[a2, b]]), ['v1', 'v1 for b', 'v1,v2'])
})
