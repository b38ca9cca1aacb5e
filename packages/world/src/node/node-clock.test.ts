import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sleep } from '../clock.ts'
import { nodeClock } from './node-clock.ts'

test('node clock: a timer is never early', async () => {
  for (const delayMs of [0, 0.3, 1, 2.7, 5]) {
    const start = nodeClock.monotonicMs()
    await sleep(nodeClock, delayMs)
    assert.ok(nodeClock.monotonicMs() - start >= delayMs)
  }
})

test('node clock: a delay beyond what Node can count does not fire at once', async (t) => {
  const { mock } = t.mock.method(globalThis, 'setTimeout')
  let fired = false
  const fire = (): void => {
    fired = true
  }
  const cancels = [2 ** 31, 2 ** 40, Number.POSITIVE_INFINITY].map((delayMs) =>
    nodeClock.after(delayMs, fire),
  )
  // Node turns a delay that it cannot count into one millisecond.
  await sleep(nodeClock, 5)
  for (const cancel of cancels) cancel()
  assert.equal(fired, false)
  for (const { arguments: args } of mock.calls) assert.ok(Number(args[1]) < 2 ** 31)
})

test('node clock: a long delay is waited for in parts', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const now = t.mock.method(performance, 'now', () => 0)
  let fired = false
  nodeClock.after(2 ** 31 + 1000, () => {
    fired = true
  })
  now.mock.mockImplementation(() => 2 ** 31 - 1)
  t.mock.timers.tick(2 ** 31 - 1)
  assert.equal(fired, false)
  now.mock.mockImplementation(() => 2 ** 31 + 1000)
  t.mock.timers.tick(1001)
  assert.equal(fired, true)
})

test('node clock: soon comes after what is ready, and a cancelled timer never', async () => {
  const order: string[] = []
  const cancel = nodeClock.after(0, () => order.push('cancelled'))
  cancel()
  await new Promise<void>((resolve) => {
    nodeClock.soon(() => {
      order.push('soon')
      nodeClock.after(2, resolve)
    })
    queueMicrotask(() => order.push('microtask'))
  })
  assert.deepEqual(order, ['microtask', 'soon'])
})
