import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Cancel, Clock } from '@strata/world'
import { SteeredClock } from './steered-clock.ts'

/** A clock that a test moves, and that calls its timers when it passes them. */
class BaseClock implements Clock {
  ms = 0
  readonly timers: { dueMs: number; callback: () => void }[] = []

  wallMs(): number {
    return 1_000_000 + this.ms
  }
  monotonicMs(): number {
    return this.ms
  }
  soon(callback: () => void): void {
    setImmediate(callback)
  }
  after(delayMs: number, callback: () => void): Cancel {
    const timer = { dueMs: this.ms + delayMs, callback }
    this.timers.push(timer)
    return () => {
      const index = this.timers.indexOf(timer)
      if (index >= 0) this.timers.splice(index, 1)
    }
  }
  passTo(ms: number): void {
    this.ms = ms
    for (const timer of this.timers.filter(({ dueMs }) => dueMs <= ms)) {
      this.timers.splice(this.timers.indexOf(timer), 1)
      timer.callback()
    }
  }
}

function clocks() {
  const base = new BaseClock()
  const clock = new SteeredClock(base)
  const called: string[] = []
  const call = (name: string, delayMs: number): Cancel =>
    clock.after(delayMs, () => called.push(`${name} at ${clock.monotonicMs()}`))
  return { base, clock, called, call }
}

test('time passes with the base clock, which is woken for the first timer only', () => {
  const { base, called, call } = clocks()
  call('late', 20)
  call('early', 10)
  assert.equal(base.timers.length, 1)
  base.passTo(10)
  assert.deepEqual(called, ['early at 10'])
  base.passTo(25)
  assert.deepEqual(called, ['early at 10', 'late at 25'])
  assert.equal(base.timers.length, 0)
})

test('a cancelled timer is not called, and the base clock is not woken for it', () => {
  const { base, called, call } = clocks()
  const cancel = call('cancelled', 10)
  cancel()
  cancel()
  assert.equal(base.timers.length, 0)
  base.passTo(100)
  assert.deepEqual(called, [])
})

test('advance calls every timer on the way at its own moment, also those that a timer starts', async () => {
  const { clock, called, call } = clocks()
  call('second', 2_000)
  clock.after(1_000, () => {
    call('third', 1_500)
    called.push(`first at ${clock.monotonicMs()}`)
  })
  call('too late', 4_000)
  await clock.advance(3_000)
  assert.deepEqual(called, ['first at 1000', 'second at 2000', 'third at 2500'])
  assert.equal(clock.wallMs(), 1_003_000)
})

test('after advance, time passes from there', async () => {
  const { base, clock, called, call } = clocks()
  await clock.advance(5_000)
  call('later', 10)
  base.passTo(9)
  assert.deepEqual(called, [])
  base.passTo(10)
  assert.deepEqual(called, ['later at 5010'])
})

test('frozen, time stands still until it is advanced', async () => {
  const { base, clock, called, call } = clocks()
  clock.freeze()
  call('waiting', 10)
  base.passTo(1_000)
  assert.deepEqual([clock.monotonicMs(), called], [0, []])
  await clock.advance(10)
  assert.deepEqual([clock.monotonicMs(), called], [10, ['waiting at 10']])
  base.passTo(2_000)
  assert.equal(clock.monotonicMs(), 10)
  clock.resume()
  base.passTo(2_005)
  assert.equal(clock.monotonicMs(), 15)
})

test('two calls of advance at once add up', async () => {
  const { clock } = clocks()
  await Promise.all([clock.advance(1_000), clock.advance(500)])
  assert.equal(clock.monotonicMs(), 1_500)
})

test('time does not move backwards', () => {
  const { clock } = clocks()
  assert.throws(() => clock.advance(-1), /time\.advance\(-1\): time moves forward/)
})

test('freeze and resume count also while time advances', async () => {
  const { base, clock, called, call } = clocks()
  clock.after(10, () => clock.freeze())
  await clock.advance(20)
  base.passTo(5)
  assert.equal(clock.monotonicMs(), 20)

  // As when a cluster stops: its deadlines must pass.
  clock.after(10, () => clock.resume())
  call('later', 500)
  await clock.advance(1_000)
  assert.deepEqual(called, [])
  base.passTo(505)
  assert.deepEqual(called, ['later at 530'])
})

test('a timer that fails fails its advance, and nothing else', async () => {
  const { base, clock, called, call } = clocks()
  clock.after(10, () => {
    throw new Error('broken')
  })
  call('next', 20)
  await assert.rejects(clock.advance(15), /broken/)
  await clock.advance(10)
  assert.deepEqual(called, ['next at 20'])
  base.passTo(5)
  assert.equal(clock.monotonicMs(), 25)
})
