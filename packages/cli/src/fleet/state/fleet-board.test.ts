import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock } from '@strata/world'
import { FleetBoard } from './fleet-board.ts'
import type { ServerView } from './fleet-state.ts'

let wallMs = 1_000
const clock: Clock = { wallMs: () => wallMs, monotonicMs: () => 0, after: () => () => {}, soon: () => {} }
const server: ServerView = {
  ...{ name: 'a', instance: 'a', serverID: 'apiserver-a', release: 'x', pid: 1, url: 'https://a' },
  ...{ state: 'starting', since: '1970-01-01T00:00:00Z', message: 'waits for a key' },
}
const board = (): FleetBoard =>
  new FleetBoard(clock, {
    servers: [server],
    releases: [],
    roll: null,
    load: null,
    scenes: [],
    resources: [],
  })

test('board: a server that gets another state loses the message of the old one, and has a new time', () => {
  const it = board()
  wallMs = 61_000
  it.changeServer('a', { state: 'starting', pid: 2 })
  assert.deepEqual(it.server('a'), { ...server, pid: 2 })
  it.changeServer('a', { state: 'ready' })
  const { message: _, ...rest } = server
  assert.deepEqual(it.server('a'), { ...rest, pid: 2, state: 'ready', since: '1970-01-01T00:01:01Z' })
})

test('board: a slow reader misses states, and never the last one', async () => {
  const it = board()
  const stop = new AbortController()
  const seen: (number | null)[] = []
  for await (const { servers } of it.watch(stop.signal)) {
    seen.push(servers[0]?.pid ?? null)
    if (seen.length === 1) for (const pid of [5, 6, 7]) it.changeServer('a', { pid })
    else stop.abort()
  }
  assert.deepEqual(seen, [1, 7])
})

test('board: a wait ends with the state that it waited for, or with the reason of its signal', async () => {
  const it = board()
  const signal = new AbortController().signal
  const ready = it.until(({ servers }) => servers[0]?.state === 'ready', signal)
  it.changeServer('a', { state: 'ready' })
  assert.equal((await ready).servers[0]?.state, 'ready')
  const stop = new AbortController()
  const never = it.until(() => false, stop.signal)
  stop.abort(new Error('enough'))
  await assert.rejects(never, /enough/)
})

test('board: each change of a state is an event, and a reader gets those that it has not seen', async () => {
  const it = board()
  it.changeServer('a', { state: 'ready' })
  it.changeServer('a', { message: 'the same state' })
  it.note([{ kind: 'storage-version-switched', message: 'lamps are stored in v2' }])
  assert.deepEqual(
    it.events().map(({ number, kind }) => [number, kind]),
    [
      [1, 'ready'],
      [2, 'storage-version-switched'],
    ],
  )
  const stop = new AbortController()
  const seen: string[] = []
  for await (const { number, kind } of it.watchEvents(1, stop.signal)) {
    seen.push(`${number} ${kind}`)
    if (seen.length === 1) it.changeServer('a', { state: 'frozen' })
    else stop.abort()
  }
  assert.deepEqual(seen, ['2 storage-version-switched', '3 frozen'])
})
