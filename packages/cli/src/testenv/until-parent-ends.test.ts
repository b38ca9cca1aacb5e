import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { untilParentEnds } from './until-parent-ends.ts'

test('it ends within a second of its parent, and not before', async () => {
  const simulation = new Simulation('parent')
  const world = simulation.process('testenv')
  let parent = 10
  simulation.schedule(5_000, 'the parent ends', () => {
    parent = 1
  })
  await simulation.settle(
    untilParentEnds({ world, parentId: () => parent, firstParentId: 10 }, new AbortController().signal),
  )
  assert.ok(simulation.nowMs >= 5_000 && simulation.nowMs < 6_000, String(simulation.nowMs))
})

test('it ends with its signal', async () => {
  const simulation = new Simulation('signal')
  const world = simulation.process('testenv')
  const stop = new AbortController()
  simulation.schedule(3_000, 'Ctrl-C', () => stop.abort())
  await simulation.settle(untilParentEnds({ world, parentId: () => 10, firstParentId: 10 }, stop.signal))
  assert.equal(simulation.nowMs, 3_000)
})

test('it ends at once if its parent ended while the server started', async () => {
  const simulation = new Simulation('early')
  const world = simulation.process('testenv')
  await simulation.settle(
    untilParentEnds({ world, parentId: () => 1, firstParentId: 10 }, new AbortController().signal),
  )
  assert.equal(simulation.nowMs, 0)
})
