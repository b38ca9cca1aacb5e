import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { bytes } from '../contract/harness.ts'
import { OutcomeUnknown, StoreUnavailable } from '../errors.ts'
import type { Commit } from '../store.ts'
import { type CommitsRequest, cell, commitsPerGroup, result } from './protocol.ts'
import { WriteQueue } from './write-queue.ts'

const put = (key: string): Commit => ({ writes: [{ kind: 'put', key, value: bytes(key) }], guards: [] })
const { signal } = new AbortController()

function stage() {
  const sim = new Simulation(1)
  const cells = new Int32Array(new SharedArrayBuffer(4 * commitsPerGroup))
  const groups: CommitsRequest[] = []
  const writer = { postMessage: (request: CommitsRequest) => void groups.push(request) }
  const moves: number[] = []
  const queue = new WriteQueue({
    ...{ writer, cells, clock: sim.clock, timeoutMs: 1000 },
    onMove: (revision) => moves.push(revision),
  })
  /** The writer answers that everything was committed. */
  const commitAll = (group: CommitsRequest | undefined, revision: number): void => {
    const results = Array.from({ length: group?.count ?? 0 }, () => [
      result.committed,
      revision,
      revision,
    ]).flat()
    queue.take({ kind: 'commits', moved: revision, results, currents: [] })
  }
  const turn = (): Promise<unknown> => sim.run({ untilMs: sim.nowMs + 1 })
  return { sim, cells, groups, moves, queue, commitAll, turn }
}

test('write queue: what comes while the writer is busy goes as one group', async () => {
  const { groups, queue, commitAll, turn, moves } = stage()
  const first = queue.commit(put('/1'), signal)
  await turn()
  const others = Promise.all(['/2', '/3', '/4'].map((key) => queue.commit(put(key), signal)))
  await turn()
  assert.deepEqual(
    groups.map(({ count }) => count),
    [1],
  )
  commitAll(groups[0], 2)
  assert.equal((await first).revision, 2)
  await turn()
  assert.deepEqual(
    groups.map(({ count }) => count),
    [1, 3],
  )
  commitAll(groups[1], 5)
  assert.deepEqual(
    (await others).map(({ outcome }) => outcome),
    ['committed', 'committed', 'committed'],
  )
  assert.deepEqual(moves, [2, 5])
})

test('write queue: giving up is certain before the commit was begun, and unknown after', async () => {
  const { cells, queue, turn, groups } = stage()
  const patience = new AbortController()
  const begun = queue.commit(put('/begun'), patience.signal)
  const sent = queue.commit(put('/sent'), patience.signal)
  await turn()
  const queued = queue.commit(put('/queued'), patience.signal)
  assert.equal(groups[0]?.count, 2)
  Atomics.store(cells, 0, cell.begun)
  patience.abort()
  await assert.rejects(begun, OutcomeUnknown)
  await assert.rejects(sent, StoreUnavailable)
  await assert.rejects(queued, StoreUnavailable)
  assert.equal(Atomics.load(cells, 1), cell.withdrawn, 'the writer would still write it')
})

test('write queue: the deadline is the same for the one under way and those behind it', async () => {
  const { sim, cells, queue, turn } = stage()
  const begun = assert.rejects(queue.commit(put('/begun'), signal), OutcomeUnknown)
  await turn()
  Atomics.store(cells, 0, cell.begun)
  await sim.run({ untilMs: 500 })
  const queued = assert.rejects(queue.commit(put('/queued'), signal), StoreUnavailable)
  await sim.run({ untilMs: 2000 })
  await Promise.all([begun, queued])
})

test('write queue: a failed group is unknown only if the writer says so', async () => {
  for (const [unknown, error] of [
    [false, StoreUnavailable],
    [true, OutcomeUnknown],
  ] as const) {
    const { queue, turn } = stage()
    const failing = assert.rejects(queue.commit(put('/key'), signal), (thrown) => {
      assert.ok(thrown instanceof error)
      assert.equal(thrown.fault, 'io-error')
      return true
    })
    await turn()
    queue.take({ kind: 'failed', unknown, message: 'disk I/O error', fault: 'io-error' })
    await failing
  }
})

test('write queue: when the writer is gone, what it had begun is unknown', async () => {
  const { cells, queue, turn } = stage()
  const begun = assert.rejects(queue.commit(put('/begun'), signal), OutcomeUnknown)
  const sent = assert.rejects(queue.commit(put('/sent'), signal), StoreUnavailable)
  await turn()
  Atomics.store(cells, 0, cell.begun)
  queue.end('the writing thread has ended', true)
  await Promise.all([begun, sent])
  await assert.rejects(queue.commit(put('/later'), signal), StoreUnavailable)
})

test('write queue: groups have an end, and compaction waits for its turn between them', async () => {
  const { groups, queue, commitAll, turn } = stage()
  const commits = Array.from({ length: commitsPerGroup + 5 }, (_, index) =>
    queue.commit(put(`/${index}`), signal),
  )
  const step = queue.compact(2, signal)
  const late = queue.commit(put('/late'), signal)
  await turn()
  commitAll(groups[0], 2)
  await turn()
  commitAll(groups[1], 3)
  await turn()
  assert.deepEqual(
    groups.map(({ kind, count }) => [kind, count]),
    [
      ['commits', commitsPerGroup],
      ['commits', 5],
      ['compact', undefined],
    ],
  )
  queue.take({ kind: 'compacted', done: true, newest: 3 })
  assert.equal((await step).done, true)
  await turn()
  commitAll(groups[3], 4)
  await Promise.all([...commits, late])
})
