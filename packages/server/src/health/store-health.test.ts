import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { StoreHealth } from './store-health.ts'

test('store health: reports a store that does not answer, and its recovery', async () => {
  const simulation = new Simulation('store health')
  const { clock } = simulation.process('a')
  let asked = 0
  let isFrozen = false
  const store = {
    currentRevision: (signal: AbortSignal): Promise<number> => {
      asked++
      if (!isFrozen) return Promise.resolve(1)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  }
  const health = new StoreHealth(store, clock)
  const later = (ms: number) => simulation.settle(new Promise<void>((done) => clock.after(ms, done)))
  await simulation.settle(Promise.all([health.refresh(), health.refresh()]))
  await simulation.settle(health.refresh())
  assert.deepEqual([health.problem, asked], [undefined, 1])
  isFrozen = true
  await later(1_000)
  await simulation.settle(health.refresh())
  assert.match(health.problem ?? '', /^error getting data from the store: /)
  isFrozen = false
  await later(1_000)
  await simulation.settle(health.refresh())
  assert.equal(health.problem, undefined)
})
