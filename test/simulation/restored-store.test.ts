import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restoredStore } from './checkers/restored-store.ts'
import { createHistory, type WatchRun } from './history.ts'
import { beaconPrefix } from './keys.ts'
import { StoreLog } from './store-log.ts'
import { timelinesOf } from './timelines.ts'

/** The store is restored to 452 at 1,000 ms; the newest revision that is lost is 466. */
function historyWith(listed: Partial<WatchRun>) {
  const history = createHistory({ leaseDurationMs: 60_000, renewIntervalMs: 10_000 }, 1)
  history.restores.push({ atMs: 1_000, revision: 452, highest: 466, commitsBefore: 0 })
  const event = {
    type: 'BOOKMARK',
    key: beaconPrefix,
    revision: 492,
    token: '',
    statusToken: '',
    atMs: 1_300,
  } as const
  history.watches.push({
    ...{ watcher: 'w', server: 'b', prefix: beaconPrefix, from: 466, startMs: 1_200, events: [event] },
    ...listed,
  })
  return history
}

function violationsOf(listed: Partial<WatchRun>) {
  const history = historyWith(listed)
  return [...restoredStore.check(history, new StoreLog(history))]
}

test('restored-store: a watch from a list of before the restore may not go on', () => {
  assert.match(violationsOf({ listedMs: 900 })[0]?.text ?? '', /goes on to 492 after a restore/)
  assert.equal(violationsOf({}).length, 1, 'a list of any age may be of before the restore')
})

test('restored-store: a watch from a list of the restored store goes on, at a revision that was lost too', () => {
  assert.deepEqual(violationsOf({ listedMs: 1_100 }), [])
  assert.equal(
    timelinesOf(historyWith({ listedMs: 1_100 })).at(-1)?.watches.length,
    1,
    'no checker looks at it',
  )
})

test('restored-store: a watch from within the backup that begins after the restore goes on with it', () => {
  const [bookmark] = historyWith({}).watches[0]?.events ?? []
  assert.ok(bookmark)
  assert.deepEqual(violationsOf({ from: 452 }), [])
  assert.equal(timelinesOf(historyWith({ from: 452 })).at(-1)?.watches.length, 1, 'no checker looks at it')
  assert.equal(violationsOf({ from: 453 }).length, 1, 'a client may have seen 453 before the restore')
  assert.equal(violationsOf({ from: 452, startMs: 999 }).length, 1, 'it began in the timeline that is lost')
  const lost = { ...bookmark, revision: 466 }
  assert.equal(
    violationsOf({ from: 452, events: [lost, bookmark] }).length,
    1,
    '466 may be the one that is lost',
  )
})
