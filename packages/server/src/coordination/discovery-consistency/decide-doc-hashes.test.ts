import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DiscoveryDocHash } from '@strata/api'
import { type DocHashFacts, decideDocHashes, heartbeatMs, silentLimitMs } from './decide-doc-hashes.ts'
import { Heartbeats } from './heartbeats.ts'

const entry = (
  apiServerID: string,
  builtInAPIHash = 'h1',
  lastHeartbeatTime = '10:00',
): DiscoveryDocHash => ({
  apiServerID,
  builtInAPIHash,
  lastHeartbeatTime,
})
const [a, b, c] = [entry('a'), entry('b'), entry('c')]

/** Everything is in order, as b sees it. */
const settled: DocHashFacts = {
  entries: [a, b, c],
  own: { apiServerID: 'b', builtInAPIHash: 'h1' },
  isHeartbeatDue: false,
  leases: new Set(['a', 'b', 'c']),
  silentMs: () => 0,
  now: '10:05',
}
const silent = (id: string, ms: number): Partial<DocHashFacts> => ({
  silentMs: (each) => (each === id ? ms : 0),
})
const mine = entry('b', 'h1', '10:05')

const cases: ReadonlyArray<
  [
    name: string,
    seen: Partial<DocHashFacts>,
    want: readonly DiscoveryDocHash[] | undefined,
    withoutLease?: readonly string[],
  ]
> = [
  ['nothing to say, nothing sent', {}, undefined],
  ['the first server begins the list', { entries: [] }, [mine]],
  ['an entry that was taken out is put back', { entries: [a, c] }, [a, mine, c]],
  [
    'what is served has changed',
    { own: { apiServerID: 'b', builtInAPIHash: 'h2' } },
    [a, entry('b', 'h2', '10:05'), c],
  ],
  ['a heartbeat moves the time', { isHeartbeatDue: true }, [a, mine, c]],
  ['a heartbeat in the same second is none', { isHeartbeatDue: true, now: '10:00' }, undefined],
  ['others may say what they like', { entries: [entry('a', 'h9'), b, c] }, undefined],
  ['no Lease, no entry', { leases: new Set(['a', 'b']) }, [a, b], ['c']],
  ['fourteen minutes of silence are nothing', silent('c', silentLimitMs - 60_000), undefined],
  ['three periods of silence are too long', silent('c', silentLimitMs), [a, b]],
  ['the own entry is not taken out for its silence', silent('b', 2 * silentLimitMs), undefined],
  [
    'an entry from long ago by its own clock is not old',
    { entries: [entry('a', 'h1', '1970'), b, c] },
    undefined,
  ],
  ['entries are sorted when one is written', { entries: [c, a], isHeartbeatDue: true }, [a, mine, c]],
  [
    'an entry without a hash goes',
    { entries: [{ apiServerID: 'a', lastHeartbeatTime: '10:00' }, b, c] },
    [b, c],
  ],
  ['a server has one entry', { entries: [a, a, b, c] }, [a, b, c]],
]
for (const [name, seen, want, withoutLease = []] of cases) {
  test(`discovery hashes: ${name}`, () => {
    const decided = decideDocHashes({ ...settled, ...seen })
    assert.deepEqual(decided, want && { entries: want, withoutLease })
  })
}

const minute = 60_000
const beats: ReadonlyArray<
  [name: string, looks: ReadonlyArray<[atMinute: number, time: string | 'unreadable']>, wantMinutes: number]
> = [
  ['a fresh observer has seen nothing', [[100, '10:00']], 0],
  [
    'an entry that stays is counted',
    [
      [0, '10:00'],
      [5, '10:00'],
      [9, '10:00'],
    ],
    9,
  ],
  [
    'one that moves is heard',
    [
      [0, '10:00'],
      [5, '10:00'],
      [9, '10:05'],
      [10, '10:05'],
    ],
    1,
  ],
  [
    'a clock that jumps back moves it too',
    [
      [0, '10:00'],
      [5, '09:00'],
      [6, '09:00'],
    ],
    1,
  ],
  [
    'who was asleep has not seen that nothing happened',
    [
      [0, '10:00'],
      [60, '10:00'],
    ],
    6.25,
  ],
  [
    'a store that cannot be read begins it anew',
    [
      [0, '10:00'],
      [5, '10:00'],
      [6, 'unreadable'],
      [7, '10:00'],
      [8, '10:00'],
    ],
    1,
  ],
]
for (const [name, looks, wantMinutes] of beats) {
  test(`heartbeats: ${name}`, () => {
    const heartbeats = new Heartbeats()
    for (const [at, time] of looks) {
      if (time === 'unreadable') heartbeats.forget()
      else heartbeats.observe([entry('a', 'h1', time)], at * minute)
    }
    assert.equal(heartbeats.silentMs('a') / minute, wantMinutes)
  })
}

test('heartbeats: the next look is when the most silent of the others becomes too silent', () => {
  const heartbeats = new Heartbeats()
  assert.equal(heartbeats.nextLimitMs('b'), silentLimitMs)
  heartbeats.observe([a, b], 0)
  heartbeats.observe([a, b, c], heartbeatMs)
  assert.equal(heartbeats.nextLimitMs('b'), silentLimitMs - heartbeatMs)
  assert.equal(heartbeats.nextLimitMs('a'), silentLimitMs - heartbeatMs)
})
