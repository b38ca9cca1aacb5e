import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeadlineExceeded, deadline } from './deadline.ts'
import { Simulation } from './sim/index.ts'

test('deadline: aborts after its time', async () => {
  const simulation = new Simulation(1)
  const { clock } = simulation.process('a')
  const { signal } = deadline(clock, 50)
  await simulation.run({ untilMs: 49 })
  assert.equal(signal.aborted, false)
  await simulation.run()
  assert.ok(signal.reason instanceof DeadlineExceeded)
})

test('deadline: aborts with its parent, and is silent once disposed', async () => {
  const simulation = new Simulation(1)
  const { clock } = simulation.process('a')
  const parent = new AbortController()
  const heard = deadline(clock, 50, parent.signal)
  const disposed = deadline(clock, 50, parent.signal)
  disposed.dispose()
  parent.abort(new Error('parent'))
  assert.match(String(heard.signal.reason), /parent/)
  heard.dispose()
  assert.equal(await simulation.run(), 'idle')
  assert.equal(simulation.nowMs, 0)
  assert.equal(disposed.signal.aborted, false)
  assert.equal(deadline(clock, 50, parent.signal).signal.aborted, true)
})
