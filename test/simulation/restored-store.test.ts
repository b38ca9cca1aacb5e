import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryStore, MemoryData, type Store } from '@strata/server/store'
import { restoredStore } from './checkers/restored-store.ts'
import { createHistory, type History, type WatchRun } from './history.ts'
import { beaconPrefix } from './keys.ts'
import { StoreLog } from './store-log.ts'
import { hasNoticedLastRestore, timelinesOf } from './timelines.ts'
import { RestoredAnswers } from './world/restored-answers.ts'

/** The store is restored to 452 at 1,000 ms; the newest revision that is lost is 466. */
function historyWith(listed: Partial<WatchRun>) {
  const history = createHistory({ leaseDurationMs: 60_000, renewIntervalMs: 10_000 }, 1)
  history.restores.push({ atMs: 1_000, revision: 452, highest: 466, commitsBefore: 0 })
  history.restoresNoticed.push({ atMs: 1_250, writer: 'b' })
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

/** A store at the given revision, and the answers that one process gets from it. */
function processAt(history: History, revision: number) {
  const answers = new RestoredAnswers('b', history, () => 2_000)
  const store = createMemoryStore(new MemoryData())
  const signal = new AbortController().signal
  let now = revision
  let arrive = (): void => {}
  let isHeld = false
  const sent = answers.sent({ ...store, read: async () => ({ revision: now, entries: [] }) })
  const way: Store = {
    ...sent,
    read: async (keys) => {
      const answer = await sent.read(keys, signal)
      if (isHeld) await new Promise<void>((resolve) => (arrive = resolve))
      return answer
    },
  }
  const received = answers.received(way)
  return {
    ask: () => received.read([], signal),
    moveTo: (next: number) => (now = next),
    hold: () => (isHeld = true),
    release: () => {
      isHeld = false
      arrive()
    },
  }
}

function restoredHistory() {
  const history = createHistory({ leaseDurationMs: 60_000, renewIntervalMs: 10_000 }, 1)
  const restore = () => history.restores.push({ atMs: 1_000, revision: 452, highest: 466, commitsBefore: 0 })
  const violations = () => {
    history.convergence = { atMs: 3_000, problems: [] }
    return [...restoredStore.check(history, new StoreLog(history))].map(({ text }) => text)
  }
  return { history, restore, violations }
}

const unnoticed = ['no server has noticed the restore']

test('restored-store: a server that has seen a lost change and gets an answer has to notice', async () => {
  const { history, restore, violations } = restoredHistory()
  const server = processAt(history, 453)
  await server.ask()
  restore()
  assert.deepEqual(violations(), [], 'it has no answer yet, and may be killed before it gets one')
  server.moveTo(452)
  await server.ask()
  assert.deepEqual(violations(), unnoticed)
})

test('restored-store: it cannot notice a restored store that was written past what it has seen', async () => {
  const { history, restore, violations } = restoredHistory()
  const server = processAt(history, 453)
  await server.ask()
  restore()
  server.moveTo(453)
  await server.ask()
  assert.deepEqual(violations(), [])
})

test('restored-store: a watch goes on where no server could notice the restore', async () => {
  for (const revision of [452, 453]) {
    const history = createHistory({ leaseDurationMs: 60_000, renewIntervalMs: 10_000 }, 1)
    const server = processAt(history, 453)
    await server.ask()
    const { restores, watches } = historyWith({ listedMs: 900 })
    history.restores.push(...restores)
    history.watches.push(...watches)
    server.moveTo(revision)
    await server.ask()
    const found = [...restoredStore.check(history, new StoreLog(history))]
    assert.equal(found.length, revision === 452 ? 1 : 0, `the store answers at ${revision}`)
  }
})

test('restored-store: a server that knows nothing but the backup cannot notice', async () => {
  const { history, restore, violations } = restoredHistory()
  const server = processAt(history, 452)
  await server.ask()
  restore()
  const started = processAt(history, 460)
  for (const each of [server, started, server, started]) await each.ask()
  assert.deepEqual(violations(), [])
})

test('restored-store: an answer that was on its way during the restore tells of the lost change', async () => {
  const { history, restore, violations } = restoredHistory()
  const server = processAt(history, 466)
  server.hold()
  const answer = server.ask()
  await new Promise(setImmediate)
  restore()
  server.release()
  await answer
  assert.deepEqual(violations(), [], 'the store from before has answered')
  server.moveTo(453)
  await server.ask()
  assert.deepEqual(violations(), unnoticed)
})

test('restored-store: a server shows the restored store once it has noticed the last restore', () => {
  const restore = (atMs: number) => ({ atMs, revision: 452, highest: 466, commitsBefore: 0 })
  const noticed = (writer: string, atMs: number) => ({ writer, atMs })
  const cases: [ReturnType<typeof restore>[], ReturnType<typeof noticed>[], boolean][] = [
    [[], [], false],
    [[restore(1_000)], [], false],
    [[restore(1_000)], [noticed('b', 1_100)], true],
    [[restore(1_000)], [noticed('b#2', 1_100)], true],
    [[restore(1_000)], [noticed('a', 1_100)], false],
    [[restore(1_000)], [noticed('b', 1_300)], false],
    [[restore(1_000), restore(1_150)], [noticed('b', 1_100)], false],
  ]
  for (const [restores, restoresNoticed, expected] of cases) {
    assert.equal(hasNoticedLastRestore({ restores, restoresNoticed }, 'b', 1_200), expected)
  }
})
