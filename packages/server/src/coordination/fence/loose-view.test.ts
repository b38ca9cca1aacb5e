import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { decideViewAge, ViewAge } from './loose-view.ts'

const ages: readonly [name: string, asOfMs: number | undefined, problem: RegExp | undefined][] = [
  ['never measured', undefined, /has not seen yet/],
  ['of this moment', 100_000, undefined],
  ['of one minute', 40_000, undefined],
  ['of more than one minute', 39_000, /is 61 seconds old; .* at most 60 seconds$/],
]
for (const [name, asOfMs, problem] of ages) {
  test(`view: ${name} ${problem ? 'is no ground to write on' : 'will do'}`, () => {
    const said = decideViewAge(asOfMs, 100_000)
    if (problem) assert.match(said ?? '', problem)
    else assert.equal(said, undefined)
  })
}

test('view: it is as old as the question, not as the answer; and what is not answered makes it no younger', async () => {
  const simulation = new Simulation('view')
  const { clock, ...process } = simulation.process('p')
  let answer: () => Promise<void> = async () => {}
  const view = new ViewAge({ ...process, clock }, () => answer())
  const stop = new AbortController()
  const pass = (ms: number) => simulation.run({ untilMs: simulation.nowMs + ms })
  const isFresh = (): boolean => view.problem === undefined
  assert.ok(!isFresh())
  void view.run(stop.signal)
  await pass(1)
  assert.ok(isFresh())

  // A store that takes five seconds to answer, and then none at all.
  answer = () => new Promise((resolve) => clock.after(5_000, resolve))
  await pass(26_000)
  answer = () => new Promise(() => {})
  // Asked at 10 s and at 25 s; the answer to the second came at 30 s and counts from 25 s.
  await pass(58_900)
  assert.ok(isFresh())
  await pass(200)
  assert.ok(!isFresh())

  answer = async () => {}
  await pass(20_000)
  assert.ok(isFresh(), 'fresh again')
  stop.abort()
})

test('view: a store that cannot be reached at the start is asked again soon', async () => {
  const simulation = new Simulation('view at the start')
  let asked = 0
  const view = new ViewAge(simulation.process('p'), async () => {
    if (++asked < 3) throw new Error('no luck')
  })
  void view.run(new AbortController().signal)
  await simulation.settle(view.known)
  assert.ok(simulation.nowMs < 1_500)
})
