import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, Play } from './play-for-test.ts'

type Row = [minutes: number, servers: string, current: string, persisted: string, running: string | undefined]

const beginning: readonly Row[] = [
  [0, 'v1, v1, v1', 'v1, v1, v1', 'v1', undefined],
  [3, 'v2, v1, v1', 'v1, v1, v1', 'v1', undefined],
  [10, 'v2, v1, v1', 'v2, v1, v1', 'v1, v2', undefined],
  [12, 'v2, v2, v1', 'v2, v1, v1', 'v1, v2', undefined],
  [18, 'v2, v2, v2', 'v2, v1, v1', 'v1, v2', undefined],
]
/** The migration KEP, "Case walkthrough", as its table has it: it starts with the first look that shows the same everywhere. */
const asPrinted: readonly Row[] = [
  ...beginning,
  [20, 'v2, v2, v2', 'v2, v2, v2', 'v1, v2', 'v2'],
  [22, 'v2, v2, v1', 'v2, v2, v2', 'v1, v2', 'v2'],
  [30, 'v2, v2, v1', 'v2, v2, v1', 'v1, v2', undefined],
  [34, 'v2, v2, v2', 'v2, v2, v1', 'v1, v2', undefined],
  [40, 'v2, v2, v2', 'v2, v2, v2', 'v1, v2', 'v2'],
  [45, 'v2, v2, v2', 'v2, v2, v2', 'v2', undefined],
]
/** The same by the rule that stands above the table: identical in the past two polls. */
const byTheRule: readonly Row[] = [
  ...beginning,
  [20, 'v2, v2, v2', 'v2, v2, v2', 'v1, v2', undefined],
  [22, 'v2, v2, v1', 'v2, v2, v2', 'v1, v2', undefined],
  [30, 'v2, v2, v1', 'v2, v2, v1', 'v1, v2', undefined],
  [34, 'v2, v2, v2', 'v2, v2, v1', 'v1, v2', undefined],
  [40, 'v2, v2, v2', 'v2, v2, v2', 'v1, v2', undefined],
  [50, 'v2, v2, v2', 'v2, v2, v2', 'v1, v2', 'v2'],
  [55, 'v2, v2, v2', 'v2, v2, v2', 'v2', undefined],
]

/** A fleet that has been at v1 for a while. */
function settled(equalPolls: number): Play {
  const play = new Play({ equalPolls, accept: 'succeeded' })
  play.setState({
    persistedStorageVersionHashes: ['v1'],
    currentStorageVersionHashes: ['a', 'b', 'c'].map((reporterID) => ({
      ...{ reporterID, currentStorageVersionHash: 'v1', lastHeartbeatTime: at(0) },
    })),
  })
  return play
}

const orders = { 'in order': ['a', 'b', 'c'], 'the third first': ['c', 'b', 'a'], mixed: ['b', 'c', 'a'] }
for (const [equalPolls, rows] of [
  [1, asPrinted],
  [2, byTheRule],
] as const) {
  for (const [name, order] of Object.entries(orders)) {
    test(`walkthrough: minute by minute with ${equalPolls} equal polls, reporters ${name}`, () => {
      const play = settled(equalPolls)
      const end = rows.at(-1)?.[0]
      for (const [minutes, servers, current, persisted, running] of rows) {
        play.minutes = minutes
        const shown = servers.split(', ')
        if (minutes % 10 === 0) {
          for (const id of order) {
            play.report(id, shown[['a', 'b', 'c'].indexOf(id)] ?? '')
            play.lead()
          }
        }
        if (minutes === end) play.end('succeeded')
        play.lead()
        assert.deepEqual(
          [minutes, play.current, play.persisted, play.running],
          [minutes, current, persisted, running],
        )
      }
      const want = equalPolls === 1 ? ['20 create v2', '30 cancel v2', '40 create v2'] : ['50 create v2']
      assert.deepEqual(play.done, want)
    })
  }
}

test('walkthrough: the life cycle of the StorageState of CronJobs', () => {
  const play = new Play({ equalPolls: 1, accept: 'succeeded' })
  play.discover('v2alpha1')
  assert.deepEqual([play.persisted, play.current, play.running], ['Unknown', 'v2alpha1', 'v2alpha1'])
  play.minutes = 5
  play.end('succeeded')
  play.discover('v2alpha1')
  assert.deepEqual([play.persisted, play.running], ['v2alpha1', undefined])

  // Offline for less than the limit: nothing but the heartbeat.
  play.changeLeader()
  play.minutes = 14
  play.discover('v2alpha1')
  assert.deepEqual([play.persisted, play.state?.status?.lastHeartbeatTime], ['v2alpha1', at(14)])

  // Upgraded.
  play.minutes = 24
  play.discover('v2beta1')
  assert.deepEqual([play.persisted, play.current, play.running], ['v2alpha1, v2beta1', 'v2beta1', 'v2beta1'])
  // And taken back, before the migration was done.
  play.minutes = 34
  play.discover('v2alpha1')
  assert.deepEqual(
    [play.persisted, play.current, play.running],
    ['v2alpha1, v2beta1', 'v2alpha1', 'v2alpha1'],
  )
  play.minutes = 40
  play.end('succeeded')
  play.discover('v2alpha1')
  assert.equal(play.persisted, 'v2alpha1')
  assert.deepEqual(play.done, [
    '0 create v2alpha1',
    '24 cancel v2alpha1',
    '24 create v2beta1',
    '34 cancel v2beta1',
    '34 create v2alpha1',
  ])
})
