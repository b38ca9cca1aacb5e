import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, Play } from './play-for-test.ts'
import type { CommonHash, StorageVersionView } from './source-view.ts'

const all = (hash: string, movedAt = at(0)): StorageVersionView => ({
  ...{ kind: 'storageversion', hashes: [hash], movedAt },
  common: { agreed: true, hash },
})
const none = (...hashes: string[]): StorageVersionView => ({
  ...{ kind: 'storageversion', hashes },
  common: { agreed: false, because: 'they differ' } satisfies CommonHash,
})
/** At v1, and known to be. */
function settled(): Play {
  const play = new Play({ accept: 'observed-clean' })
  play.setState({
    persistedStorageVersionHashes: ['v1'],
    currentStorageVersionHash: 'v1',
    lastHeartbeatTime: at(0),
  })
  return play
}

test('StorageVersion: a migration starts if the common version differs from the persisted ones, after 70 seconds', () => {
  const play = settled()
  play.lead(all('v1'))
  play.minutes = 2
  play.lead(none('v1', 'v2'))
  assert.deepEqual([play.persisted, play.running], ['v1, v2', undefined])
  play.minutes = 3
  assert.equal(play.lead(all('v2', at(3))).lookAgainMs, 70_000)
  assert.equal(play.running, undefined)
  play.minutes = 4
  play.lead(all('v2', at(3)))
  assert.equal(play.running, undefined)
  play.minutes = 5
  play.lead(all('v2', at(3)))
  assert.deepEqual([play.persisted, play.current, play.running], ['v1, v2', 'v2', 'v2'])
  play.end('succeeded', { result: 'ObservedClean' })
  play.lead(all('v2', at(3)))
  assert.deepEqual([play.persisted, play.done], ['v2', ['5 create v2']])
})

test('StorageVersion: what runs is ended when there is no common version any more', () => {
  const play = settled()
  play.lead(all('v2', at(0)))
  play.minutes = 2
  play.lead(all('v2', at(0)))
  assert.equal(play.running, 'v2')
  play.minutes = 3
  play.lead(none('v1', 'v2'))
  assert.deepEqual(play.done, ['2 create v2', '3 cancel v2'])
})

test('StorageVersion: the heartbeat moves once in a period, and tells of a controller that was away', () => {
  const play = settled()
  const beats = new Set<string | undefined>()
  for (play.minutes = 0; play.minutes <= 30; play.minutes++) {
    play.lead(all('v1'))
    beats.add(play.state?.status?.lastHeartbeatTime)
  }
  assert.deepEqual([...beats], [at(0), at(10), at(20), at(30)])
  play.changeLeader()
  play.minutes = 60
  play.lead(all('v1'))
  assert.equal(play.persisted, 'Unknown')
})

for (const [name, withMemory] of [
  ['by one who looked before', true],
  ['by a new leader', false],
] as const) {
  test(`StorageVersion: one that moved and came back unseen leaves Unknown, ${name}`, () => {
    const play = settled()
    play.lead(all('v1'))
    assert.equal(play.persisted, 'v1')
    if (!withMemory) play.changeLeader()
    play.minutes = 5
    play.lead(all('v1', at(3)))
    assert.equal(play.persisted, 'Unknown, v1')
    play.minutes = 7
    play.lead(all('v1', at(3)))
    assert.deepEqual([play.persisted, play.running], ['Unknown, v1', 'v1'])
  })
}

test('StorageVersion: what has ended shows nothing if something moved unseen', () => {
  const play = settled()
  play.lead(all('v2', at(0)))
  play.minutes = 2
  play.lead(all('v2', at(0)))
  play.end('succeeded', { result: 'ObservedClean' })
  play.minutes = 3
  play.lead(all('v2', at(2)))
  assert.equal(play.persisted, 'Unknown, v1, v2')
})

test('StorageVersion: K7: a server that comes and goes does not have what has failed tried again before its time', () => {
  const play = settled()
  play.lead(all('v2'))
  play.minutes = 2
  play.lead(all('v2'))
  play.end('failed')
  for (play.minutes = 3; play.minutes < 9; play.minutes += 1) {
    play.lead(none('v2', 'v3'))
    play.minutes += 1
    play.lead(all('v2'))
    play.minutes += 1
    play.lead(all('v2'))
  }
  assert.deepEqual(play.done, ['2 create v2'])
  play.minutes = 12
  play.lead(all('v2'))
  assert.deepEqual(play.done, ['2 create v2', '12 cancel v2', '12 create v2'])
  assert.deepEqual(play.migrations.at(-1)?.mark?.persisted, ['v1', 'v2', 'v3'])
})
