import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sleep } from '../clock.ts'
import { uuid } from '../random.ts'
import { Simulation } from './simulation.ts'

/** A small world with timers, random numbers and logs in three processes. */
async function play(seed: number): Promise<string> {
  const simulation = new Simulation(seed)
  for (const name of ['a', 'b', 'c']) {
    const { clock, random, log } = simulation.process(name)
    const live = async (): Promise<void> => {
      for (let i = 0; i < 20; i++) {
        await sleep(clock, 1 + random.fraction() * 10)
        log.info('lived', { i, id: uuid(random) })
        if (i % 5 === 0) await new Promise<void>((resolve) => clock.soon(resolve))
      }
    }
    void live()
  }
  assert.equal(await simulation.run(), 'idle')
  return simulation.traceHash()
}

test('simulation: the same seed twice gives the same trace hash', async () => {
  assert.equal(await play(7), await play(7))
})

test('simulation: ten seeds give ten trace hashes', async () => {
  const hashes = new Set<string>()
  for (let seed = 0; seed < 10; seed++) hashes.add(await play(seed))
  assert.equal(hashes.size, 10)
})

test('simulation: timers fire in the order of their time, also when set in another', async () => {
  const simulation = new Simulation(1)
  const { clock } = simulation.process('a')
  const order: number[] = []
  for (const delayMs of [30, 10, 20]) clock.after(delayMs, () => order.push(delayMs))
  const cancel = clock.after(15, () => order.push(15))
  cancel()
  cancel()
  await simulation.run()
  assert.deepEqual(order, [10, 20, 30])
})

test('simulation: what happens at one moment happens in an order that the seed picks', async () => {
  const orders = new Set<string>()
  for (let seed = 0; seed < 20; seed++) {
    const simulation = new Simulation(seed)
    const order: string[] = []
    for (const name of ['a', 'b']) simulation.process(name).clock.after(5, () => order.push(name))
    await simulation.run()
    orders.add(order.join(''))
  }
  assert.deepEqual(orders, new Set(['ab', 'ba']))
})

test('simulation: soon comes after all that is due, and first come is first served', async () => {
  for (let seed = 0; seed < 20; seed++) {
    const simulation = new Simulation(seed)
    const { clock } = simulation.process('a')
    const order: string[] = []
    simulation.schedule(5, 'first', () => {
      for (const name of ['soon 1', 'soon 2', 'soon 3']) clock.soon(() => order.push(name))
      simulation.schedule(0, 'due', () => order.push('due'))
    })
    await simulation.run()
    assert.deepEqual(order, ['due', 'soon 1', 'soon 2', 'soon 3'])
    assert.equal(simulation.nowMs, 5)
  }
})

test('simulation: all that an event sets off is over before the next begins', async () => {
  const simulation = new Simulation(1)
  const order: string[] = []
  simulation.schedule(1, 'one', () => {
    const chain = async (): Promise<void> => {
      for (let i = 0; i < 100; i++) await null
      order.push('end of the chain')
    }
    void chain()
  })
  simulation.schedule(1.001, 'two', () => order.push('two'))
  await simulation.run()
  assert.deepEqual(order, ['end of the chain', 'two'])
})

test('simulation: a run says why it ended', async () => {
  const simulation = new Simulation(1)
  let ticks = 0
  const tick = (): void => {
    ticks++
    simulation.clock.after(10, tick)
  }
  tick()
  assert.equal(await simulation.run({ untilMs: 35 }), 'time')
  assert.equal(simulation.nowMs, 35)
  assert.equal(ticks, 4)
  assert.equal(await simulation.run({ until: () => ticks === 6 }), 'condition')
  assert.equal(await simulation.run({ maxEvents: 3 }), 'events')
  assert.equal(ticks, 9)
})

test('simulation: an idle run still lets the asked time pass', async () => {
  const simulation = new Simulation(1)
  assert.equal(await simulation.run({ untilMs: 100 }), 'idle')
  assert.equal(simulation.nowMs, 100)
})

test('simulation: a callback that throws ends the run with its error', async () => {
  const simulation = new Simulation(1)
  simulation.schedule(1, 'bad', () => assert.fail('bug'))
  await assert.rejects(simulation.run(), /bug/)
})

test('simulation: settle fails when nothing can settle the promise any more', async () => {
  const simulation = new Simulation(1)
  await assert.rejects(simulation.settle(new Promise(() => {})), /idle/)
})

test('simulation: the trace keeps its last lines and hashes all of them', async () => {
  const lines: string[] = []
  const simulation = new Simulation(1, { keepLines: 2, onLine: (line) => lines.push(line) })
  const before = simulation.traceHash()
  for (const step of [1, 2, 3, 4, 5]) simulation.trace('step', { step })
  assert.deepEqual(simulation.traceLines(), ['0.000 - step step=4', '0.000 - step step=5'])
  assert.equal(lines.length, 5)
  assert.notEqual(simulation.traceHash(), before)
})
