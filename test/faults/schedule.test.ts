import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultKinds } from './kinds/all.ts'
import { describeStep, drawRound } from './schedule.ts'

const kinds = faultKinds.filter(({ stores }) => stores.includes('etcd'))
const textOf = (seed: string, round: number): string[] =>
  drawRound(seed, round, kinds, 'etcd').lanes.flat().map(describeStep)

test('schedule: the same seed and round give the same faults, whatever was drawn before', () => {
  const all = [0, 1, 2, 3].map((round) => textOf('7', round))
  assert.deepEqual(textOf('7', 3), all[3])
  assert.notDeepEqual(textOf('8', 3), all[3])
})

test('schedule: within enough rounds every kind comes about equally often', () => {
  const counts = new Map<string, number>()
  for (let round = 0; round < 60; round++) {
    for (const { kind } of drawRound('1', round, kinds, 'etcd').lanes.flat())
      counts.set(kind.name, (counts.get(kind.name) ?? 0) + 1)
  }
  assert.deepEqual([...counts.keys()].sort(), kinds.map(({ name }) => name).sort())
  for (const lane of drawRound('1', 0, kinds, 'etcd').lanes) {
    const inLane = lane.map(({ kind }) => counts.get(kind.name) ?? 0)
    assert.ok(Math.max(...inLane) - Math.min(...inLane) <= 1, JSON.stringify([...counts]))
  }
})

test('schedule: the two lanes never wait for one kind only', () => {
  const only = kinds.filter(({ name }) => name === 'kill')
  const { lanes } = drawRound('1', 0, only, 'etcd')
  assert.equal(lanes.length, 1)
  assert.ok(lanes.flat().every(({ kind }) => kind.name === 'kill'))
})
