import assert from 'node:assert/strict'
import { test } from 'node:test'
import { microTimestamp, sleep, timestamp } from './clock.ts'
import { Simulation } from './sim/index.ts'

test('sleep: lasts as long as asked', async () => {
  const simulation = new Simulation(1)
  const { clock } = simulation.process('a')
  await simulation.settle(sleep(clock, 250))
  assert.equal(simulation.nowMs, 250)
})

test('sleep: an abort ends it at once with its reason, and leaves no timer', async () => {
  const simulation = new Simulation(1)
  const { clock } = simulation.process('a')
  const controller = new AbortController()
  clock.after(10, () => controller.abort(new Error('enough')))
  await assert.rejects(simulation.settle(sleep(clock, 1000, controller.signal)), /enough/)
  assert.equal(await simulation.run(), 'idle')
  assert.equal(simulation.nowMs, 10)
  await assert.rejects(sleep(clock, 1000, controller.signal), /enough/)
})

test('timestamps: have the forms of the wire', async () => {
  const { clock } = new Simulation(1)
  assert.match(timestamp(clock), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  assert.match(microTimestamp(clock), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
})
