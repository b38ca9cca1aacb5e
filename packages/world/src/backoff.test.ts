import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BackoffPolicy, backoffMs, retry } from './backoff.ts'
import { DeadlineExceeded, deadline } from './deadline.ts'
import { Simulation } from './sim/index.ts'

const never = new AbortController().signal
const policy: BackoffPolicy = { firstMs: 100, maxMs: 300, attempts: 4 }

test('backoff: doubles up to its maximum', () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((attempt) => backoffMs(policy, attempt)),
    [100, 200, 300, 300],
  )
})

const failing = (times: number) => async (attempt: number) => {
  if (attempt < times) throw new Error(`failure ${attempt}`)
  return attempt
}

test('retry: waits between tries and returns the first success', async () => {
  const simulation = new Simulation(1)
  const world = simulation.process('a')
  assert.equal(await simulation.settle(retry(world, policy, failing(2), () => true, never)), 2)
  // Two waits, each within a quarter of 100 and 200.
  assert.ok(simulation.nowMs >= 225 && simulation.nowMs <= 375, String(simulation.nowMs))
})

test('retry: gives up after its tries with the last error', async () => {
  const simulation = new Simulation(1)
  const world = simulation.process('a')
  await assert.rejects(simulation.settle(retry(world, policy, failing(9), () => true, never)), /failure 3/)
})

test('retry: an error that is not retryable is thrown without a wait', async () => {
  const simulation = new Simulation(1)
  const world = simulation.process('a')
  await assert.rejects(simulation.settle(retry(world, policy, failing(9), () => false, never)), /failure 0/)
  assert.equal(simulation.nowMs, 0)
})

test('retry: an abort ends the wait', async () => {
  const simulation = new Simulation(1)
  const world = simulation.process('a')
  const { signal } = deadline(world.clock, 5)
  await assert.rejects(
    simulation.settle(retry(world, policy, failing(9), () => true, signal)),
    DeadlineExceeded,
  )
  assert.ok(simulation.nowMs < 6)
})
