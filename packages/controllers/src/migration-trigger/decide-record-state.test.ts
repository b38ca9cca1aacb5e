import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StorageState } from '@strata/api'
import type { MigrationSight } from './migration-sight.ts'
import { at, Play } from './play-for-test.ts'
import type { RecordView } from './source-view.ts'
import { storageState } from './state-for-test.ts'

const encoding = (hash: string, epoch: number, writeKey = 'identity') => ({ hash, epoch, writeKey })
/** A record in its first epoch: v1 is all that anyone ever wrote. */
const fresh: RecordView = {
  ...{ kind: 'record', uid: 'r', createdAt: at(0), epoch: 1, isFenced: true },
  written: { since: 1, encodings: [encoding('v1', 1)] },
  persisted: ['v1'],
  common: { agreed: true, hash: 'v1' },
  writeKey: 'identity',
}
const second: RecordView = {
  ...fresh,
  epoch: 2,
  written: { since: 1, encodings: [encoding('v2', 2), encoding('v1', 1)] },
  persisted: ['v1', 'v2'],
  common: { agreed: true, hash: 'v2' },
}
const third: RecordView = {
  ...fresh,
  persisted: ['v1', 'v2'],
  epoch: 3,
  written: { since: 1, encodings: [encoding('v1', 3), encoding('v2', 2)] },
}
const differing: RecordView = {
  ...fresh,
  epoch: 2,
  written: { since: 1, encodings: [encoding('v1', 2), encoding('v2', 2)] },
  common: { agreed: false, because: 'they differ' },
}
const { written: _, ...unkept } = second
const { persisted: __, ...unsure } = { ...fresh, gapEpoch: 1 }
/** Proven in the first epoch. */
const proven = storageState({
  persistedStorageVersionHashes: ['v1'],
  currentStorageVersionHash: 'v1',
  proven: { recordUID: 'r', epoch: 1 },
})

const { status: ___, ...silent } = proven
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
    'one that has known another is Unknown at first sight',
    second,
    undefined,
    'Unknown',
    ['0 create epoch 2'],
  ],
  ['one with a gap is Unknown at first sight', unsure, undefined, 'Unknown', ['0 create epoch 1']],
  [
    'what the servers have proven need not be proven again',
    { ...second, persisted: ['v2'] },
    undefined,
    'v2',
    [],
  ],
  [
    'but of another key they say nothing',
    { ...second, persisted: ['v2'], writeKey: 'k2' },
    undefined,
    'Unknown',
    ['0 create epoch 2'],
  ],
  ['one that was made and never said anything is as none', fresh, silent, 'v1', []],
  ['nothing has moved', fresh, proven, 'v1', []],
  ['the storage version has moved', second, proven, 'v1, v2', ['0 create epoch 2']],
  ['servers differ: nothing starts', differing, proven, 'v2, v1', []],
  ['A, B, A between two looks is seen', third, proven, 'v2, v1', ['0 create epoch 3']],
  [
    'another key with the same version is something to migrate too',
    {
      ...fresh,
      epoch: 2,
      written: { since: 1, encodings: [encoding('v1', 2, 'k1'), encoding('v1', 1)] },
      writeKey: 'k1',
    },
    proven,
    'v1',
    ['0 create epoch 2'],
  ],
  [
    'a gap after what was proven: Unknown',
    { ...unsure, epoch: 3, gapEpoch: 3, written: { since: 1, encodings: [encoding('v1', 3)] } },
    proven,
    'Unknown, v1',
    ['0 create epoch 3'],
  ],
  [
    'a gap before what was proven is of no account',
    { ...fresh, epoch: 3, gapEpoch: 2, written: { since: 1, encodings: [encoding('v1', 3)] } },
    storageState({ ...proven.status, proven: { recordUID: 'r', epoch: 3 } }),
    'v1',
    [],
  ],
  [
    'a record that has forgotten what was written since: Unknown',
    { ...second, epoch: 9, written: { since: 5, encodings: [encoding('v2', 9)] } },
    proven,
    'Unknown, v2',
    ['0 create epoch 9'],
  ],
  ['a record of a release that did not keep it: Unknown', unkept, proven, 'Unknown', ['0 create epoch 2']],
  [
    'what agreement is made of has one version for ever, gap or not',
    { ...unsure, isFrozen: true },
    undefined,
    'v1',
    [],
  ],
  [
    'a record that was lost and made anew counts from one: Unknown',
    { ...unsure, uid: 's' },
    proven,
    'Unknown',
    ['0 create epoch 1'],
  ],
  [
    'a server is starting: nobody writes anything else, and nothing begins',
    { ...second, common: { agreed: false, because: 'no entry from c', waits: true } },
    proven,
    'v1, v2',
    [],
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

const shown = (epoch: number, more: Partial<MigrationSight> = {}): Partial<MigrationSight> => ({
  result: 'Proven',
  target: { how: 'record', epoch, fenced: true, encodingVersion: 'v2' },
  ...more,
})

/** A migration to the second epoch is under way. */
function migrating(options = {}): Play {
  const play = new Play(options)
  play.state = proven
  play.lead(second)
  assert.equal(play.running, 'epoch 2')
  return play
}

test('record: what was proven is all that may be stored, and the migration stays to be seen', () => {
  const play = migrating()
  play.end('succeeded', shown(2))
  play.lead(second)
  assert.deepEqual([play.persisted, play.state?.status?.proven], ['v2', { recordUID: 'r', epoch: 2 }])
  assert.deepEqual([play.done.length, play.migrations.length], [1, 1])
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

test('record: somebody else who proves it spares us the work, and is not disturbed', () => {
  const play = migrating()
  play.foreign('theirs')
  play.lead({ ...differing, epoch: 3 })
  assert.deepEqual(
    play.migrations.map(({ name }) => name),
    ['theirs'],
  )
  play.end('succeeded', shown(4))
  play.lead({ ...second, epoch: 4, written: { since: 1, encodings: [encoding('v2', 4), encoding('v1', 3)] } })
  assert.deepEqual([play.persisted, play.running], ['v2', undefined])
})

test('record: a state that was deleted is Unknown, and the migration of before does not prove anything', () => {
  const play = migrating()
  play.end('succeeded', shown(2))
  play.lead(second)
  play.minutes = 1
  play.deleteState()
  play.lead(second)
  assert.deepEqual([play.persisted, play.running], ['Unknown', 'epoch 2'])
})

test('record: also one that never knew but one encoding, if somebody deletes its state before our eyes', () => {
  const play = new Play()
  play.lead(fresh)
  assert.equal(play.persisted, 'v1')
  play.deleteState()
  play.lead(fresh)
  assert.deepEqual([play.persisted, play.running], ['Unknown', 'epoch 1'])
})

test('record: where nothing is fenced it has to stand for a minute, and what is observed clean has to be accepted', () => {
  const unfenced = { ...second, isFenced: false }
  const clean = shown(2, { result: 'ObservedClean' })
  for (const accept of ['proven', 'observed-clean'] as const) {
    const play = new Play({ accept })
    play.state = proven
    assert.equal(play.lead(unfenced).lookAgainMs, 60_000)
    assert.equal(play.running, undefined)
    play.minutes = 1
    play.lead(unfenced)
    assert.equal(play.running, 'epoch 2')
    play.end('succeeded', clean)
    play.lead(unfenced)
    assert.equal(play.persisted, accept === 'proven' ? 'v1, v2' : 'v2')
    assert.equal(play.done.length, 1)
  }
})

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
    written: { since: 1, encodings: [encoding('v2', 3), encoding('v1', 2)] },
  }
  play.lead(later)
  assert.deepEqual([play.persisted, play.done.length, play.migrations.length], ['v2', 1, 1])
})

const olds: ReadonlyArray<[name: string, createdAt: string]> = [
  ['older than the record', at(-1)],
  ['older than the state', at(1)],
]
for (const [name, createdAt] of olds) {
  test(`record: a migration of somebody else that is ${name} proves nothing`, () => {
    const play = new Play()
    play.minutes = name.endsWith('record') ? -5 : 2
    play.setState({ persistedStorageVersionHashes: ['Unknown'], currentStorageVersionHash: 'v2' })
    play.minutes = 2
    play.migrations = [
      { name: 'theirs', uid: 'theirs', createdAt, phase: 'succeeded', ...shown(2) } as MigrationSight,
    ]
    play.lead({ ...second, createdAt: name.endsWith('record') ? at(0) : at(-9) })
    assert.equal(play.persisted, 'Unknown')
  })
}
