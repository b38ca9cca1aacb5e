import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Slots } from './slots.ts'

test('slots: a task that comes as another ends does not run over the limit', async () => {
  const slots = new Slots(1)
  let running = 0
  let most = 0
  async function task(): Promise<void> {
    running++
    most = Math.max(most, running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
  }
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const first = slots.run(() => gate)
  const waiting = slots.run(task)
  // Runs after the first task has ended, and before the waiting one goes on.
  const late = gate.then(() => slots.run(task))
  open()
  await Promise.all([first, waiting, late])
  assert.equal(most, 1)
})

test('slots: a task that fails gives its slot to the next one', async () => {
  const slots = new Slots(1)
  const failed = slots.run(() => Promise.reject(new Error('no')))
  const next = slots.run(async () => 'done')
  await assert.rejects(failed, /no/)
  assert.equal(await next, 'done')
  assert.equal(await slots.run(async () => 'again'), 'again')
})
