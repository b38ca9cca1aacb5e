import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sleep } from '../clock.ts'
import { Simulation } from './simulation.ts'

test('freeze: what is due is held, and runs after the thaw in the order in which it came', async () => {
  for (let seed = 0; seed < 20; seed++) {
    const simulation = new Simulation(seed)
    const process = simulation.process('a')
    const ran: string[] = []
    process.clock.after(10, () => ran.push('timer 10'))
    process.deliver(20, 'message', () => ran.push('message 20'))
    process.clock.after(30, () => ran.push('timer 30'))
    process.deliver(100, 'message', () => ran.push('message 100'))
    simulation.schedule(5, 'freeze', () => process.freeze())
    await simulation.run({ untilMs: 90 })
    assert.deepEqual(ran, [])
    assert.equal(process.frozen, true)
    simulation.schedule(10, 'thaw', () => process.thaw())
    await simulation.run()
    assert.deepEqual(ran, ['timer 10', 'message 20', 'timer 30', 'message 100'])
  }
})

test('freeze: both clocks go on, and others are not held', async () => {
  const simulation = new Simulation(1)
  const frozen = simulation.process('a')
  const other = simulation.process('b')
  const monotonic = frozen.clock.monotonicMs()
  const wall = frozen.clock.wallMs()
  frozen.freeze()
  await simulation.settle(sleep(other.clock, 500))
  assert.equal(frozen.clock.monotonicMs() - monotonic, 500)
  assert.equal(frozen.clock.wallMs() - wall, 500)
})

test('freeze: a timer cancelled while it is held does not fire', async () => {
  const simulation = new Simulation(1)
  const process = simulation.process('a')
  let fired = false
  const cancel = process.clock.after(10, () => {
    fired = true
  })
  process.freeze()
  await simulation.run({ untilMs: 20 })
  cancel()
  process.thaw()
  await simulation.run()
  assert.equal(fired, false)
})

test('freeze: again in the middle of the held ones, the rest waits for the next thaw', async () => {
  const simulation = new Simulation(1)
  const process = simulation.process('a')
  const ran: number[] = []
  for (const at of [1, 2, 3]) {
    process.clock.after(at, () => {
      ran.push(at)
      if (at === 1) process.freeze()
    })
  }
  process.freeze()
  await simulation.run({ untilMs: 10 })
  process.thaw()
  await simulation.run({ untilMs: 20 })
  assert.deepEqual(ran, [1])
  process.thaw()
  await simulation.run()
  assert.deepEqual(ran, [1, 2, 3])
})

test('crash: timers, messages and what was held are dropped for ever', async () => {
  const simulation = new Simulation(1)
  const process = simulation.process('a')
  let ran = 0
  const count = (): void => {
    ran++
  }
  process.clock.after(10, count)
  process.clock.soon(count)
  process.deliver(10, 'message', count)
  process.freeze()
  await simulation.run({ untilMs: 20 })
  process.clock.after(10, count)
  process.crash()
  process.thaw()
  process.clock.after(10, count)
  process.receive('message', count)
  assert.equal(await simulation.run(), 'idle')
  assert.equal(ran, 0)
  assert.equal(process.crashed, true)
  assert.equal(process.signal.aborted, true)
})

test('crash: listeners are notified once', () => {
  const process = new Simulation(1).process('a')
  let notified = 0
  process.onCrash(() => notified++)
  process.onCrash(() => notified++)()
  process.crash()
  process.crash()
  assert.equal(notified, 1)
})

test('restart: the same name is another run with its own id, mark and chance', () => {
  const simulation = new Simulation(1)
  const first = simulation.process('a')
  first.crash()
  const second = simulation.process('a')
  assert.equal(second.name, 'a')
  assert.notEqual(second.id, first.id)
  assert.notDeepEqual(second.processes.self, first.processes.self)
  assert.notDeepEqual(second.random.bytes(8), first.random.bytes(8))
})

test('processes: an end is proved on the same machine only, and only after it', () => {
  const simulation = new Simulation(1)
  const victim = simulation.process('victim')
  const neighbour = simulation.process('neighbour')
  const far = simulation.process('far', { host: 'elsewhere' })
  const blind = simulation.process('blind', { cannotTell: true })
  const mark = victim.processes.self
  victim.freeze()
  assert.equal(neighbour.processes.isGone(mark), false)
  victim.crash()
  assert.equal(neighbour.processes.isGone(mark), true)
  assert.equal(far.processes.isGone(mark), false)
  assert.equal(blind.processes.isGone(mark), false)
  assert.equal(neighbour.processes.isGone(far.processes.self), false)
})

test('drift: a fast clock fires early in true time, and shows more of it', async () => {
  const simulation = new Simulation(1)
  const process = simulation.process('a')
  const start = process.clock.monotonicMs()
  process.setDrift(2)
  await simulation.settle(sleep(process.clock, 100))
  assert.equal(simulation.nowMs, 50)
  assert.equal(process.clock.monotonicMs() - start, 100)
})

test('drift: a clock that is slowed makes a timer that already runs wait, never fire early', async () => {
  const simulation = new Simulation(1)
  const process = simulation.process('a')
  const start = process.clock.monotonicMs()
  const done = sleep(process.clock, 100)
  simulation.schedule(50, 'slow', () => process.setDrift(0.5))
  await simulation.settle(done)
  assert.ok(process.clock.monotonicMs() - start >= 100 - 1e-3)
  assert.ok(Math.abs(simulation.nowMs - 150) < 1e-3)
})

test('wall jump: moves the wall clock, not the monotonic one, not the timers', async () => {
  const simulation = new Simulation(1)
  const process = simulation.process('a')
  const wall = process.clock.wallMs()
  const monotonic = process.clock.monotonicMs()
  const done = sleep(process.clock, 100)
  process.jumpWall(-3_600_000)
  await simulation.settle(done)
  assert.equal(simulation.nowMs, 100)
  assert.equal(process.clock.wallMs() - wall, 100 - 3_600_000)
  assert.equal(process.clock.monotonicMs() - monotonic, 100)
})

test('clocks: a process that starts later agrees on the wall clock and on nothing else', async () => {
  const simulation = new Simulation(1)
  const early = simulation.process('early')
  await simulation.run({ untilMs: 5000 })
  const late = simulation.process('late')
  assert.equal(late.clock.wallMs(), early.clock.wallMs())
  assert.equal(simulation.clock.wallMs(), early.clock.wallMs())
  assert.notEqual(late.clock.monotonicMs(), early.clock.monotonicMs())
})

test('timers: a zero delay lets time pass, so that a loop of them cannot stop it', async () => {
  const simulation = new Simulation(1)
  const process = simulation.process('a')
  const loop = (): void => {
    process.clock.after(0, loop)
  }
  loop()
  assert.equal(await simulation.run({ untilMs: 100, maxEvents: 1000 }), 'time')
})
