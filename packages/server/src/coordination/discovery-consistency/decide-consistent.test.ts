import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConsistencyFacts, decideConsistent } from './decide-consistent.ts'

const entry = (apiServerID: string, builtInAPIHash = 'h1') => ({
  apiServerID,
  builtInAPIHash,
  lastHeartbeatTime: '10:00',
})
const [a, b] = [entry('a'), entry('b')]

const settled: ConsistencyFacts = {
  isFresh: true,
  entries: [a, b],
  liveServers: new Set(['a', 'b']),
  own: { apiServerID: 'a', builtInAPIHash: 'h1' },
  expectedServers: 0,
}

const cases: ReadonlyArray<[name: string, seen: Partial<ConsistencyFacts>, want: boolean]> = [
  ['all have reported the same', {}, true],
  ['one server alone agrees with itself', { entries: [a], liveServers: new Set(['a']) }, true],
  ['two hashes', { entries: [a, entry('b', 'h2')] }, false],
  ['a live server without an entry', { liveServers: new Set(['a', 'b', 'c']) }, false],
  ['the object is not there, or could not be read', { entries: undefined }, false],
  ['nobody has reported', { entries: [] }, false],
  ['what is known may be old', { isFresh: false }, false],
  ['what is shown here is not reported yet', { own: { apiServerID: 'a', builtInAPIHash: 'h2' } }, false],
  ['the own entry is missing', { entries: [b] }, false],
  ['the own Lease is gone', { liveServers: new Set(['b']) }, false],
  [
    'an entry of a server without a Lease counts until it is taken out',
    { entries: [a, b, entry('c', 'h2')] },
    false,
  ],
  ['fewer than were expected', { expectedServers: 3 }, false],
  ['as many as were expected', { expectedServers: 2 }, true],
]
for (const [name, seen, want] of cases) {
  test(`consistent: ${name}`, () => assert.equal(decideConsistent({ ...settled, ...seen }), want))
}
