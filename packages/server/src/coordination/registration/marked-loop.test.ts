import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { atOnce, MarkedLoop } from './marked-loop.ts'

/** A loop whose names take as long as they are told to; `seen` has each try with its time. */
function start(settle: (name: string, tries: number) => Promise<boolean> | boolean) {
  const simulation = new Simulation('marks')
  const loop = new MarkedLoop(simulation.process('a'))
  const stop = new AbortController()
  const seen: { readonly name: string; readonly atMs: number }[] = []
  const tries = (name: string): number => seen.filter((each) => each.name === name).length
  const running = loop.run(async (name) => {
    seen.push({ name, atMs: simulation.nowMs })
    return settle(name, tries(name))
  }, stop.signal)
  const pass = (ms: number): Promise<unknown> => simulation.run({ untilMs: simulation.nowMs + ms })
  return { simulation, loop, stop, seen, tries, running, pass }
}

test('marks: one that takes long, and one that fails, keep no other waiting', async () => {
  const held = Promise.withResolvers<boolean>()
  const { loop, tries, pass, stop, running, simulation } = start((name) =>
    name === 'held' ? held.promise : name !== 'bad',
  )
  loop.mark('held', 'bad', 'one')
  await pass(10)
  loop.mark('two')
  await pass(10)
  assert.deepEqual(['held', 'bad', 'one', 'two'].map(tries), [1, 1, 1, 1])
  held.resolve(true)
  stop.abort()
  await simulation.settle(running)
})

test('marks: a failure is tried again, later and later, and soon again after a success', async () => {
  let isBroken = true
  const { loop, seen, tries, pass, stop, running, simulation } = start(() => !isBroken)
  loop.mark('it')
  await pass(60_000)
  const gaps = seen.slice(1).map(({ atMs }, index) => atMs - (seen[index]?.atMs ?? 0))
  assert.ok((gaps[0] ?? 0) <= 750, `${gaps}`)
  assert.ok(Math.max(...gaps) > 1_500 && Math.max(...gaps) <= 6_000, `${gaps}`)
  isBroken = false
  await pass(6_000)
  const before = tries('it')
  isBroken = true
  loop.mark('it')
  await pass(1)
  isBroken = false
  await pass(750)
  assert.equal(tries('it'), before + 2)
  stop.abort()
  await simulation.settle(running)
})

test('marks: what fails and is marked by others all the time is not tried the more often afterwards', async () => {
  const { loop, tries, pass, stop, running, simulation } = start(() => false)
  loop.mark('it')
  await pass(60_000)
  for (let index = 0; index < 20; index++) {
    loop.mark('it')
    await pass(100)
  }
  const before = tries('it')
  await pass(60_000)
  assert.ok(tries('it') - before <= 31, `${tries('it') - before} tries in a minute`)
  stop.abort()
  await simulation.settle(running)
})

test('marks: what is marked while it is seen to is seen to once more, and never twice at a time', async () => {
  let held = Promise.withResolvers<boolean>()
  const { loop, tries, pass, stop, running, simulation } = start(() => held.promise)
  loop.mark('it')
  await pass(1)
  loop.mark('it')
  loop.mark('it')
  await pass(10)
  assert.equal(tries('it'), 1)
  held.resolve(true)
  held = Promise.withResolvers()
  held.resolve(true)
  await pass(10)
  assert.equal(tries('it'), 2)
  stop.abort()
  await simulation.settle(running)
})

test('marks: so many at a time and no more; the end waits for what is under way', async () => {
  const held = Promise.withResolvers<boolean>()
  const { loop, seen, pass, stop, running, simulation } = start(() => held.promise)
  loop.mark(...Array.from({ length: atOnce + 3 }, (_, index) => `n${index}`))
  await pass(10)
  assert.equal(seen.length, atOnce)
  let hasEnded = false
  void running.then(() => {
    hasEnded = true
  })
  stop.abort()
  await pass(10)
  assert.equal(hasEnded, false)
  held.resolve(true)
  await simulation.settle(running)
  assert.equal(seen.length, atOnce, 'what had not begun is left')
})
