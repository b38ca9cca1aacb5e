import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StorageState } from '@strata/api'
import type { ObservedMigration } from './observed-migration.ts'
import { at, Play } from './play-for-test.ts'
import type { RecordView } from './source-view.ts'
import { storageState } from './state-for-test.ts'

const stored = (hash: string, epoch: number, writeKey = 'identity') => ({ hash, epoch, writeKey })
const nobodyKnows = (epoch: number) => stored('Unknown', epoch, 'Unknown')
/** A record in its first epoch: v1 is all that anyone ever wrote. */
const fresh: RecordView = {
  ...{ kind: 'record', uid: 'r', createdAt: at(0), epoch: 1, isFenced: true },
  persisted: [stored('v1', 1)],
  common: { agreed: true, hash: 'v1' },
  writeKey: 'identity',
}
const second: RecordView = {
  ...fresh,
  epoch: 2,
  persisted: [stored('v2', 2), stored('v1', 1)],
  common: { agreed: true, hash: 'v2' },
}
const third: RecordView = { ...fresh, epoch: 3, persisted: [stored('v1', 3), stored('v2', 2)] }
const differing: RecordView = {
  ...fresh,
  epoch: 2,
  persisted: [stored('v1', 2), stored('v2', 2)],
  common: { agreed: false, because: 'they differ' },
}
const unsure: RecordView = { ...fresh, persisted: [stored('v1', 1), nobodyKnows(0)] }
/** The state after the first epoch. */
const clean = storageState({ persistedStorageVersionHashes: ['v1'], currentStorageVersionHash: 'v1' })
/** A migration to the first epoch was accepted, though the record remembers more. */
const accepted = (epoch: number, recordUID = 'r') =>
  storageState({ ...clean.status, accepted: { recordUID, epoch } })

const { status: _, ...silent } = clean
type Row = [
  name: string,
  record: RecordView,
  state: StorageState | undefined,
  persisted: string,
  done: readonly string[],
]
const rows: readonly Row[] = [
  ['one that never knew but one encoding needs no migration', fresh, undefined, 'v1', []],
  [
    'one that has known another says which, at first sight',
    second,
    undefined,
    'v1, v2',
    ['0 create epoch 2'],
  ],
  ['one with a gap is Unknown at first sight', unsure, undefined, 'Unknown, v1', ['0 create epoch 1']],
  [
    'what the servers have proven need not be proven again',
    { ...second, persisted: [stored('v2', 2)] },
    undefined,
    'v2',
    [],
  ],
  [
    'nor is it believed less where a state says more',
    { ...second, persisted: [stored('v2', 2)] },
    storageState({ persistedStorageVersionHashes: ['v1', 'v2'], currentStorageVersionHash: 'v2' }),
    'v2',
    [],
  ],
  ['one that was made and never said anything is as none', fresh, silent, 'v1', []],
  ['nothing has moved', fresh, clean, 'v1', []],
  ['the storage version has moved', second, clean, 'v1, v2', ['0 create epoch 2']],
  ['servers differ: nothing starts', differing, clean, 'v2, v1', []],
  ['A, B, A between two looks is seen', third, clean, 'v2, v1', ['0 create epoch 3']],
  [
    'another key with the same version is something to migrate too',
    { ...fresh, epoch: 2, persisted: [stored('v1', 2, 'k1'), stored('v1', 1)], writeKey: 'k1' },
    clean,
    'v1',
    ['0 create epoch 2'],
  ],
  [
    'a gap: Unknown',
    { ...fresh, epoch: 3, persisted: [stored('v1', 3), nobodyKnows(2)] },
    clean,
    'Unknown, v1',
    ['0 create epoch 3'],
  ],
  [
    'what is older than what was accepted is left out',
    { ...fresh, epoch: 3, persisted: [stored('v1', 3), nobodyKnows(2), stored('v2', 1)] },
    accepted(3),
    'v1',
    [],
  ],
  [
    'what is as old is not: a gap in that very epoch',
    { ...fresh, epoch: 3, persisted: [stored('v1', 3), nobodyKnows(2)] },
    accepted(2),
    'Unknown, v1',
    ['0 create epoch 3'],
  ],
  [
    'what agreement is made of has one version for ever, gap or not',
    { ...unsure, isFrozen: true },
    undefined,
    'v1',
    [],
  ],
  [
    'a record that was lost and made anew counts from one: what was accepted before is of no account',
    { ...fresh, uid: 's', epoch: 9, persisted: [stored('v1', 9), nobodyKnows(0)] },
    accepted(5),
    'Unknown, v1',
    ['0 create epoch 9'],
  ],
  [
    'a record without servers says nothing',
    { ...fresh, persisted: [], common: { agreed: false, because: 'no server is there' } },
    clean,
    'Unknown',
    [],
  ],
  [
    'a server is starting: no server writes another version, and nothing begins',
    { ...second, common: { agreed: false, because: 'no entry from c', waits: true } },
    clean,
    'v1, v2',
    [],
  ],
  [
    'an Unknown state stays so until a migration has shown it, whatever the record says',
    fresh,
    storageState({ persistedStorageVersionHashes: ['Unknown', 'v1'], currentStorageVersionHash: 'v1' }),
    'Unknown, v1',
    ['0 create epoch 1'],
  ],
]
for (const [name, record, state, persisted, done] of rows) {
  test(`record: ${name}`, () => {
    const play = new Play()
    play.state = state
    play.lead(record)
    assert.deepEqual([play.persisted, play.done], [persisted, done])
    // Nothing is decided twice.
    play.lead(record)
    assert.deepEqual([play.persisted, play.done], [persisted, done])
  })
}

const shown = (epoch: number, more: Partial<ObservedMigration> = {}): Partial<ObservedMigration> => ({
  result: 'Proven',
  target: { how: 'record', epoch, fenced: true, encodingVersion: 'v2' },
  ...more,
})

/** A migration to the second epoch is under way. */
function migrating(options = {}): Play {
  const play = new Play(options)
  play.state = clean
  play.lead(second)
  assert.equal(play.running, 'epoch 2')
  return play
}

test('record: what was proven is all that may be stored, and the migration stays to be seen', () => {
  const play = migrating()
  play.end('succeeded', shown(2))
  play.lead(second)
  assert.deepEqual([play.persisted, play.state?.status?.accepted], ['v2', { recordUID: 'r', epoch: 2 }])
  assert.deepEqual([play.done.length, play.migrations.length], [1, 1])
  // Also when it is not there any more.
  play.migrations = []
  play.lead(second)
  assert.deepEqual([play.persisted, play.done.length], ['v2', 1])
  // And what the record has forgotten itself need not be said here.
  play.lead({ ...second, persisted: [stored('v2', 2)] })
  assert.deepEqual([play.persisted, play.state?.status?.accepted], ['v2', undefined])
})

test('record: what was accepted of another record of the same name is of no account', () => {
  const play = migrating()
  play.end(
    'succeeded',
    shown(2, { target: { ...shown(2).target, how: 'record', fenced: true, recordUID: 's' } }),
  )
  play.lead(second)
  assert.equal(play.persisted, 'v1, v2')
})

test('record: what was written after the epoch that was proven stays', () => {
  const play = migrating()
  play.end('succeeded', shown(2))
  play.lead(third)
  assert.equal(play.persisted, 'v2, v1')
  assert.equal(play.running, 'epoch 3')
})

test('record: a record that we see later than the migration that was bound to it is waited for', () => {
  const play = migrating()
  play.end('succeeded', shown(3))
  play.lead(second)
  assert.equal(play.persisted, 'v1, v2')
})

test('record: servers that stop agreeing end what runs; one that only starts does not', () => {
  const play = migrating()
  play.lead({ ...second, common: { agreed: false, because: 'no entry from c', waits: true } })
  assert.equal(play.running, 'epoch 2')
  play.lead({ ...differing, epoch: 3 })
  assert.equal(play.running, undefined)
  assert.deepEqual(play.done, ['0 create epoch 2', '0 cancel epoch 2'])
})

test('record: another migrator that proves it spares us the work, and is not disturbed', () => {
  const play = migrating()
  play.foreign('theirs')
  play.lead({ ...differing, epoch: 3 })
  assert.deepEqual(
    play.migrations.map(({ name }) => name),
    ['theirs'],
  )
  play.end('succeeded', shown(4))
  play.lead({ ...second, epoch: 4, persisted: [stored('v2', 4), stored('v1', 3)] })
  assert.deepEqual([play.persisted, play.running], ['v2', undefined])
})

test('record: a state that was deleted is Unknown, and the migration of before does not prove anything', () => {
  const play = migrating()
  play.end('succeeded', shown(2))
  play.lead(second)
  play.minutes = 1
  play.deleteState()
  play.lead(second)
  assert.deepEqual([play.persisted, play.running], ['Unknown, v1, v2', 'epoch 2'])
})

test('record: a migration to that epoch of another record answers nothing, and makes room', () => {
  const play = migrating()
  const target = { how: 'record', epoch: 2, fenced: false, encodingVersion: 'v2', recordUID: 'r' } as const
  play.end('succeeded', shown(2, { result: 'ObservedClean', target }))
  play.lead(second)
  assert.deepEqual([play.persisted, play.running], ['v1, v2', undefined])
  play.lead({ ...second, uid: 's', persisted: [stored('v2', 2), nobodyKnows(0)] })
  assert.equal(play.running, 'epoch 2')
  assert.deepEqual(play.done, ['0 create epoch 2', '0 cancel epoch 2', '0 create epoch 2'])
})

test('record: also one that never knew but one encoding, if a user deletes its state while the trigger runs', () => {
  const play = new Play()
  play.lead(fresh)
  assert.equal(play.persisted, 'v1')
  play.deleteState()
  play.lead(fresh)
  assert.deepEqual([play.persisted, play.running], ['Unknown, v1', 'epoch 1'])
})

test('record: where nothing is fenced it has to stand for 70 seconds, and what is observed clean has to be accepted', () => {
  const unfenced = { ...second, isFenced: false }
  const observed = shown(2, { result: 'ObservedClean' })
  for (const accept of ['proven', 'observed-clean'] as const) {
    const play = new Play({ accept })
    play.state = clean
    assert.equal(play.lead(unfenced).lookAgainMs, 70_000)
    assert.equal(play.running, undefined)
    play.minutes = 1
    play.lead(unfenced)
    assert.equal(play.running, undefined)
    play.minutes = 2
    play.lead(unfenced)
    assert.equal(play.running, 'epoch 2')
    play.end('succeeded', observed)
    play.lead(unfenced)
    assert.equal(play.persisted, accept === 'proven' ? 'v1, v2' : 'v2')
    assert.equal(play.done.length, 1)
  }
})

// Two keys are one hash, and two epochs. So are two encoders, and A, B, A.
const others: readonly [name: string, next: Partial<RecordView>][] = [
  ['another key', { epoch: 3, writeKey: 'k2', persisted: [stored('v2', 3, 'k2'), stored('v2', 2)] }],
  ['another encoder', { epoch: 3, persisted: [stored('v2', 3), stored('v1', 1)] }],
  ['a record that was made anew', { uid: 's', persisted: [stored('v2', 2), nobodyKnows(0)] }],
]
for (const [name, next] of others) {
  test(`record: where nothing is fenced, the 70 seconds begin anew with ${name}, though the hash is the same`, () => {
    const play = new Play()
    play.state = clean
    play.lead({ ...second, isFenced: false })
    play.minutes = 1
    const moved = { ...second, isFenced: false, ...next }
    assert.equal(play.lead(moved).lookAgainMs, 70_000)
    play.minutes = 2
    assert.equal(play.lead(moved).lookAgainMs, 10_000)
    assert.equal(play.running, undefined)
    play.minutes = 3
    play.lead(moved)
    assert.equal(play.running, `epoch ${moved.epoch}`)
  })
}

test('record: a failure proves nothing, and is tried again later', () => {
  const play = migrating()
  play.end('failed', shown(2))
  assert.equal(play.lead(second).lookAgainMs, 600_000)
  assert.equal(play.persisted, 'v1, v2')
  play.minutes = 10
  play.lead(second)
  assert.equal(play.running, 'epoch 2')
})

test('record: a migration that was bound to a later epoch than it was made for stays to be seen', () => {
  const play = migrating()
  play.end('succeeded', shown(3))
  const later = {
    ...second,
    epoch: 3,
    persisted: [stored('v2', 3), stored('v1', 2)],
  }
  play.lead(later)
  assert.deepEqual([play.persisted, play.done.length, play.migrations.length], ['v2', 1, 1])
})

const olds: ReadonlyArray<[name: string, createdAt: string]> = [
  ['older than the record', at(-1)],
  ['older than the state', at(1)],
]
for (const [name, createdAt] of olds) {
  test(`record: a migration of another migrator that is ${name} proves nothing`, () => {
    const play = new Play()
    play.minutes = name.endsWith('record') ? -5 : 2
    play.setState({ persistedStorageVersionHashes: ['Unknown'], currentStorageVersionHash: 'v2' })
    play.minutes = 2
    play.migrations = [
      { name: 'theirs', uid: 'theirs', createdAt, phase: 'succeeded', ...shown(2) } as ObservedMigration,
    ]
    play.lead({ ...second, createdAt: name.endsWith('record') ? at(0) : at(-9) })
    assert.equal(play.persisted, 'Unknown, v1, v2')
  })
}

test('record: two keys are one hash, and what is under the one of before is not clean', () => {
  const rotated = {
    ...fresh,
    epoch: 2,
    persisted: [stored('v1', 2, 'k2'), stored('v1', 1, 'k1')],
    writeKey: 'k2',
  }
  const play = new Play()
  play.state = clean
  assert.deepEqual([play.lead(rotated).isClean, play.persisted], [false, 'v1'])
  assert.equal(play.lead({ ...rotated, persisted: [stored('v1', 2, 'k2')] }).isClean, true)
})
