import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObservedMigration } from './observed-migration.ts'
import { at, Play } from './play-for-test.ts'
import type { TriggerOptions } from './trigger-options.ts'

const literal: Partial<TriggerOptions> = { equalPolls: 1, accept: 'succeeded' }
/** A state that was looked at in minute 0. */
function seen(persisted: readonly string[], options = literal): Play {
  const play = new Play(options)
  play.setState({
    persistedStorageVersionHashes: persisted,
    currentStorageVersionHash: 'old',
    lastHeartbeatTime: at(0),
  })
  play.minutes = 10
  return play
}

test('trigger: K2: no StorageState: what ran before goes, one migration and the state come, Unknown with a heartbeat', () => {
  const play = new Play(literal)
  for (const name of ['m1', 'm2', 'm3']) play.foreign(name)
  play.discover('new')
  assert.deepEqual(play.done, ['0 cancel m1', '0 cancel m2', '0 cancel m3', '0 create new'])
  assert.deepEqual(play.state?.status, {
    persistedStorageVersionHashes: ['Unknown'],
    currentStorageVersionHash: 'new',
    lastHeartbeatTime: at(0),
  })
})

test('trigger: K3: a state that is older than two periods is made anew, and then as if there had been none', () => {
  const play = seen(['old'])
  const uid = play.state?.metadata.uid
  play.foreign('m1')
  play.minutes = 21
  assert.ok(play.discover('old').resets)
  assert.notEqual(play.state?.metadata.uid, uid)
  assert.deepEqual(play.done, ['21 cancel m1', '21 create old'])
  assert.deepEqual([play.persisted, play.state?.status?.lastHeartbeatTime], ['Unknown', at(21)])
})

const ages: ReadonlyArray<[name: string, staleAfterPeriods: number, minutes: number, resets: boolean]> = [
  ["the KEP's limit, one period", 1, 11, true],
  ['within it', 1, 10, false],
  ["kube-storage-version-migrator's limit, two periods", 2, 20, false],
  ['a heartbeat from the future says nothing either', 2, -25, true],
]
for (const [name, staleAfterPeriods, minutes, resets] of ages) {
  test(`trigger: K3: bootstrap: ${name}`, () => {
    const play = seen(['old'], { ...literal, staleAfterPeriods })
    play.minutes = minutes
    assert.equal(play.discover('old').resets, resets)
    assert.equal(play.persisted, resets ? 'Unknown' : 'old')
  })
}

/** The times of reads: at least a period after the last one, and later by a delay. */
const looks = [0, 10.02, 20.5, 30.52, 41.02, 51.3, 61.8]
const elsewhere: Readonly<Record<string, (play: Play) => unknown>> = {
  discovery: (play) => play.discover('old'),
  'a StorageVersion': (play) =>
    play.lead({ kind: 'storageversion', hashes: ['old'], common: { agreed: true, hash: 'old' } }),
  reporters: (play) => {
    // The leader looks again while the next heartbeat is on its way.
    play.lead()
    play.report('a', 'old')
    play.lead()
  },
}
for (const [source, look] of Object.entries(elsewhere)) {
  test(`trigger: K3: the KEP's limit of one period is asked for at bootstrap, and not at every look at ${source}`, () => {
    const play = seen(['old'], { ...literal, staleAfterPeriods: 1 })
    if (source === 'reporters') {
      play.report('a', 'old')
      play.setState({ ...play.state?.status, persistedStorageVersionHashes: ['old'] })
    }
    const uid = play.state?.metadata.uid
    for (const minutes of looks) {
      play.minutes = 10 + minutes
      look(play)
      assert.deepEqual([play.minutes, play.persisted, play.state?.metadata.uid], [10 + minutes, 'old', uid])
    }
    // The last read is older than any delay.
    play.minutes += 21
    look(play)
    assert.match(play.persisted, /^Unknown/)
  })
}

test('trigger: K4: another hash is added to the persisted ones, and migrations are launched anew', () => {
  const play = seen(['old'])
  play.foreign('m1')
  play.discover('new')
  assert.deepEqual([play.persisted, play.current], ['old, new', 'new'])
  assert.deepEqual(play.done, ['10 cancel m1', '10 create new'])
})

test('trigger: K5: no change: only the heartbeat moves', () => {
  const play = seen(['old'])
  play.discover('old')
  assert.deepEqual(play.done, [])
  assert.deepEqual([play.persisted, play.state?.status?.lastHeartbeatTime], ['old', at(10)])
})

test('trigger: K6: Unknown and no migration: one is launched', () => {
  const play = seen(['Unknown'])
  play.discover('old')
  assert.deepEqual(play.done, ['10 create old'])
})

test('trigger: K7: Unknown and a failed one: it is launched again; one of ours later and later', () => {
  const play = seen(['Unknown'])
  play.foreign('m1', 'failed')
  play.discover('old')
  assert.deepEqual(play.done, ['10 create old'])
  play.minutes = 12
  play.end('failed', { message: 'a webhook said no' })
  const waits = play.discover('old')
  assert.deepEqual([waits.create, waits.because], [undefined, 'm-2 has failed: a webhook said no'])
  assert.equal(waits.lookAgainMs, 600_000)
  play.minutes = 22
  assert.equal(play.discover('old').create?.previousFailure, 'a webhook said no')
  play.minutes = 23
  play.end('failed')
  for (play.minutes = 32; play.minutes <= 43; play.minutes++) play.discover('old')
  assert.deepEqual(play.done.slice(1), ['22 cancel old', '22 create old', '43 cancel old', '43 create old'])
})

test('trigger: by default the first look starts nothing, and the second one does', () => {
  const play = new Play({ accept: 'succeeded' })
  play.discover('v1')
  assert.deepEqual([play.persisted, play.done], ['Unknown', []])
  play.minutes = 10
  play.discover('v1')
  assert.deepEqual(play.done, ['10 create v1'])
})

test('trigger: X5, X7: a balancer that shows another server each time starts nothing, each hash is listed once, and none is forgotten', () => {
  const play = new Play({ accept: 'succeeded' })
  for (const hash of ['v1', 'v2', 'v1', 'v2', 'v1']) {
    play.discover(hash)
    play.minutes += 10
  }
  assert.deepEqual([play.persisted, play.done], ['Unknown, v2, v1', []])
})

const ends: ReadonlyArray<
  [accept: TriggerOptions['accept'], result: ObservedMigration['result'], persisted: string]
> = [
  ['proven', 'Proven', 'old'],
  ['proven', 'ObservedClean', 'Unknown, old'],
  ['proven', undefined, 'Unknown, old'],
  ['observed-clean', 'ObservedClean', 'old'],
  ['observed-clean', 'Unknown', 'Unknown, old'],
  ['succeeded', undefined, 'old'],
]
for (const [accept, result, persisted] of ends) {
  test(`trigger: ${accept} is asked for, ${result ?? 'nothing'} is shown: ${persisted} may be stored`, () => {
    const play = seen(['Unknown'], { equalPolls: 1, accept })
    play.discover('old')
    play.minutes = 12
    play.end('succeeded', result ? { result } : {})
    play.discover('old')
    assert.equal(play.persisted, persisted)
    // A migration whose proof is not accepted is not repeated for ever.
    play.minutes = 20
    play.discover('old')
    assert.deepEqual(play.done, ['10 create old'])
  })
}

for (const [accepted, result, persisted] of [
  ['observed clean', 'ObservedClean', 'old'],
  ['observed clean', 'Unknown', 'Unknown, old'],
  ['unknown', 'Unknown', 'old'],
] as const) {
  test(`trigger: ${accepted} stands on the migration, ${result} is shown: ${persisted} may be stored`, () => {
    const play = seen(['Unknown'], { equalPolls: 1 })
    play.discover('old')
    play.end('succeeded', { result, accepted })
    play.discover('old')
    assert.equal(play.persisted, persisted)
  })
}

test('trigger: nothing is forgotten after a failure, whatever is accepted', () => {
  const play = seen(['Unknown'])
  play.discover('old')
  play.end('failed', { result: 'Proven' })
  play.discover('old')
  assert.equal(play.persisted, 'Unknown, old')
})

test('trigger: X4: what ends after the hash has moved shows nothing', () => {
  const play = seen(['Unknown'])
  play.discover('old')
  play.end('succeeded')
  play.minutes = 20
  play.discover('new')
  assert.equal(play.persisted, 'Unknown, old, new')
  assert.equal(play.running, 'new')
})

for (const [name, more, persisted] of [
  ['to another one', { result: 'ObservedClean', boundTo: 'new' }, 'Unknown, old'],
  ['to it', { result: 'ObservedClean', boundTo: 'old' }, 'old'],
  ['the result has no target', { result: 'ObservedClean', boundTo: undefined }, 'Unknown, old'],
] as const) {
  test(`trigger: X4: servers went on and came back between two looks, and a run went ${name}: ${persisted}`, () => {
    const play = seen(['Unknown'], { equalPolls: 1, accept: 'observed-clean' })
    play.discover('old')
    play.end('succeeded', more as Partial<ObservedMigration>)
    play.minutes = 20
    play.discover('old')
    assert.equal(play.persisted, persisted)
    // A migration to another version leaves everything to be done.
    const again = persisted === 'old' ? [] : ['20 cancel old', '20 create old']
    assert.deepEqual(play.done, ['10 create old', ...again])
  })
}

test('trigger: a migration counts once: a hash that comes later is not taken away by it', () => {
  const play = seen(['Unknown', 'new'])
  play.discover('old')
  play.end('succeeded')
  play.minutes = 12
  play.discover('old')
  assert.equal(play.persisted, 'old')
  // Another hash came and went without a leader, and a reporter added it here.
  play.state = play.state && {
    ...play.state,
    status: { ...play.state.status, persistedStorageVersionHashes: ['old', 'new'] },
  }
  play.changeLeader()
  play.minutes = 20
  play.discover('old')
  assert.equal(play.persisted, 'old, new')
  assert.equal(play.running, 'old')
})

test('trigger: a state that a user deletes comes back as Unknown, and what was finished before does not count', () => {
  const play = seen(['Unknown'])
  play.discover('old')
  play.end('succeeded')
  play.minutes = 12
  play.discover('old')
  assert.equal(play.persisted, 'old')
  play.deleteState()
  play.minutes = 14
  play.discover('old')
  assert.equal(play.persisted, 'Unknown')
  assert.equal(play.running, 'old')
})

/** A migration to `old` has succeeded, and the trigger has not run since. */
function ended(persisted: readonly string[]): Play {
  const play = seen(persisted)
  play.discover('old')
  assert.equal(play.running, 'old')
  play.end('succeeded')
  play.minutes = 12
  return play
}
const say = (play: Play, more: object): void => {
  if (play.state) play.state = { ...play.state, status: { ...play.state.status, ...more } }
}

test('trigger: what has ended shows nothing about a hash that came meanwhile', () => {
  const play = ended(['Unknown'])
  say(play, { persistedStorageVersionHashes: ['Unknown', 'old', 'new'] })
  play.discover('old')
  assert.deepEqual([play.persisted, play.running], ['Unknown, old, new', 'old'])
})

test('trigger: nor about a state that another client has created again', () => {
  const play = ended(['Unknown'])
  const { status = {} } = play.state ?? {}
  play.setState(status)
  play.discover('old')
  assert.deepEqual([play.persisted, play.running], ['Unknown, old', 'old'])
})

test('trigger: nor if another hash was current meanwhile, and the trigger could not cancel', () => {
  const play = ended(['Unknown'])
  say(play, { currentStorageVersionHash: 'new' })
  play.discover('old')
  assert.equal(play.persisted, 'Unknown, old')
})

test('trigger: what others have finished is history, and is kept', () => {
  const play = new Play(literal)
  play.foreign('theirs', 'succeeded')
  play.discover('new')
  assert.deepEqual(play.done, ['0 create new'])
})
