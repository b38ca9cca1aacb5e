import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideHold } from './decide-hold.ts'
import { Play } from './play-for-test.ts'
import { type TriggerOptions, triggerDefaults } from './trigger-options.ts'

/** Looks of reporters, one after the other: `a=v1` in the minute that stands before it. */
function playOf(looks: string, options: Partial<TriggerOptions> = {}): Play {
  const play = new Play({ accept: 'succeeded', ...options })
  for (const look of looks.split(' ')) {
    const [minutes = '', rest = ''] = look.split(':')
    play.minutes = Number(minutes)
    if (rest === 'leader') play.changeLeader()
    else if (rest === 'done') play.end('succeeded')
    else if (rest !== 'look') {
      const [id = '', hash = ''] = rest.split('=')
      play.report(id, hash)
    }
    play.lead()
  }
  return play
}

const rows: ReadonlyArray<[name: string, looks: string, done: readonly string[], persisted: string]> = [
  ['one reporter, one look: not yet', '0:a=v1', [], 'Unknown, v1'],
  ['one reporter, two looks', '0:a=v1 10:a=v1', ['10 create v1'], 'Unknown, v1'],
  ['all of them have to look twice', '0:a=v1 0:b=v1 10:a=v1', [], 'Unknown, v1'],
  ['and then it starts', '0:a=v1 0:b=v1 10:a=v1 10:b=v1', ['10 create v1'], 'Unknown, v1'],
  ['different: nothing starts', '0:a=v1 0:b=v2 10:a=v1 10:b=v2', [], 'Unknown, v1, v2'],
  [
    'different to identical: the last one to come round looks again first',
    '0:a=v1 0:b=v2 10:a=v2 10:b=v2 20:a=v2 20:b=v2',
    ['20 create v2'],
    'Unknown, v1, v2',
  ],
  [
    'identical to different: what runs is cancelled',
    '0:a=v1 0:b=v1 10:a=v1 10:b=v1 20:b=v2',
    ['10 create v1', '20 cancel v1'],
    'Unknown, v1, v2',
  ],
  [
    'identical to identical in another version: cancelled, and begun anew',
    '0:a=v1 10:a=v1 20:a=v2 30:a=v2',
    ['10 create v1', '20 cancel v1', '30 create v2'],
    'Unknown, v1, v2',
  ],
  ['different to different: nothing', '0:a=v1 0:b=v2 10:a=v3 10:b=v2 20:a=v3', [], 'Unknown, v1, v2, v3'],
  [
    'a reporter joins with the same hash: what runs goes on, and it need not wait for its second look',
    '0:a=v1 10:a=v1 12:b=v1',
    ['10 create v1'],
    'Unknown, v1',
  ],
  [
    'one joins with the same hash before anything runs: its second look is waited for',
    '0:a=v1 5:b=v1 10:a=v1 15:b=v1',
    ['15 create v1'],
    'Unknown, v1',
  ],
  [
    'one joins with another hash: what runs is cancelled',
    '0:a=v1 10:a=v1 12:b=v2',
    ['10 create v1', '12 cancel v1'],
    'Unknown, v1, v2',
  ],
  [
    'one falls silent: nothing starts while its heartbeat is old',
    '0:a=v1 0:b=v1 10:a=v1 20:a=v1 29:a=v1',
    [],
    'Unknown, v1',
  ],
  [
    'one that is silent for three periods is forgotten, and the others go on',
    '0:a=v1 0:b=v1 10:a=v1 20:a=v1 30:a=v1 40:a=v1',
    ['40 create v1'],
    'Unknown, v1',
  ],
  [
    'the one that differed leaves: its hash stays, and the others start',
    '0:a=v2 0:b=v1 10:a=v2 20:a=v2 30:a=v2 40:a=v2 50:a=v2',
    ['50 create v2'],
    'Unknown, v2, v1',
  ],
  [
    'a new leader starts the time anew',
    '0:a=v1 0:b=v1 9:leader 10:a=v1 10:b=v1',
    ['10 create v1'],
    'Unknown, v1',
  ],
  [
    'a new leader that has seen one of the looks only waits for another',
    '0:a=v1 0:b=v1 10:a=v1 10:leader 10:b=v1 20:a=v1',
    ['20 create v1'],
    'Unknown, v1',
  ],
  ['no second wait', '0:a=v1 10:a=v1 15:done 20:a=v1 30:a=v1', ['10 create v1'], 'v1'],
]
for (const [name, looks, done, persisted] of rows) {
  test(`HA: ${name}`, () => {
    const play = playOf(looks)
    assert.deepEqual([play.done, play.persisted], [done, persisted])
  })
}

test('HA: heartbeats that drift apart, each a little late, cannot block for ever', () => {
  const play = new Play({ accept: 'succeeded' })
  const next = { a: 0, b: 3.4, c: 6.9 }
  const late = { a: 1.09, b: 1.13, c: 1.19 }
  while (play.done.length === 0 && play.minutes < 60) {
    const [id] = (['a', 'b', 'c'] as const).toSorted((x, y) => next[x] - next[y])
    if (id === undefined) break
    play.minutes = next[id]
    next[id] += 10 * late[id]
    play.report(id, 'v1')
    play.lead()
  }
  assert.equal(play.done.length, 1)
  assert.ok(play.minutes < 30, `it took ${play.minutes} minutes`)
})

test('HA: one whose clock is wrong by hours counts as soon as it has been seen to move', () => {
  const play = new Play({ accept: 'succeeded', equalPolls: 1 })
  for (const minutes of [0, 10]) {
    play.minutes = minutes
    play.report('a', 'v1')
    const entries = play.state?.status?.currentStorageVersionHashes?.map((each) => ({
      ...each,
      lastHeartbeatTime: `2020-01-01T0${minutes / 10}:00:00Z`,
    }))
    if (play.state)
      play.state = {
        ...play.state,
        status: { ...play.state.status, currentStorageVersionHashes: entries ?? [] },
      }
    play.lead()
    assert.equal(play.done.length, minutes / 10)
  }
})

test('HA: all reporters were away: writes of that time are unknown', () => {
  const play = playOf('0:a=v1 10:a=v1 15:done 20:a=v1')
  assert.equal(play.persisted, 'v1')
  const uid = play.state?.metadata.uid
  play.minutes = 60
  play.changeLeader()
  play.lead()
  assert.deepEqual([play.persisted, play.state?.metadata.uid], ['Unknown, v1', uid], 'their entries are kept')
  play.report('b', 'v1')
  play.lead()
  assert.equal(play.persisted, 'Unknown, v1')
})

test('HA: reporters forget one another after three periods also without a leader', () => {
  const play = new Play()
  play.report('b', 'v1')
  for (play.minutes = 0; play.minutes <= 40; play.minutes += 10) {
    play.report('a', 'v1')
    const there = play.state?.status?.currentStorageVersionHashes?.length
    assert.equal(there, play.minutes < 30 ? 2 : 1, `minute ${play.minutes}`)
  }
})

test('HA: a reporter that was frozen says that it may have missed something', () => {
  const play = playOf('0:a=v1 0:b=v1 10:a=v1 10:b=v1 15:done 20:a=v1 20:b=v1')
  assert.equal(play.persisted, 'v1')
  play.minutes = 35
  play.report('b', 'v1')
  play.lead()
  assert.equal(play.persisted, 'v1')
  play.minutes = 45
  play.report('a', 'v1')
  assert.equal(play.persisted, 'Unknown, v1')
})

const ages: ReadonlyArray<[minutes: number, heartbeat: string | undefined, isReady: boolean]> = [
  [10, 'moved', true],
  [11.9, 'moved', true],
  [12.1, 'moved', false],
  [1, undefined, false],
]
for (const [minutes, heartbeat, isReady] of ages) {
  test(`HA: a heartbeat (${heartbeat ?? 'none'}) of ${minutes} minutes ago is ${isReady ? '' : 'not '}fresh enough`, () => {
    const hold = decideHold({
      entries: [
        {
          ...{ reporterID: 'a', currentStorageVersionHash: 'v1' },
          ...(heartbeat === undefined ? {} : { lastHeartbeatTime: heartbeat }),
        },
      ],
      memory: {
        ...{ hash: 'v1', sinceMs: 0 },
        reporters: { a: { heartbeat: heartbeat ?? '', sinceMs: 0, hasMoved: true, polls: 2 } },
      },
      ...{ nowMs: minutes * 60_000, wallMs: 0, options: triggerDefaults },
    })
    assert.equal(hold.isReady, isReady, hold.because)
  })
}
