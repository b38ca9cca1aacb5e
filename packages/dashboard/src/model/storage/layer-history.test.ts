import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addSample, decideBands, type LayerSample } from './layer-history.ts'

const sample = (atMs: number, counts: Readonly<Record<string, number>>): LayerSample => ({
  atMs,
  layers: Object.entries(counts).map(([version, count]) => ({ version, key: undefined, count })),
})

test('layer history: a quiet time is two samples, however long it is', () => {
  const add = (samples: readonly LayerSample[], each: LayerSample) => addSample(samples, each)
  const quiet = [0, 1, 2, 3, 4]
    .map((atMs) => sample(atMs, { v1: 5 }))
    .reduce(add, [] as readonly LayerSample[])
  assert.deepEqual(
    quiet.map(({ atMs }) => atMs),
    [0, 4],
  )
  assert.equal(addSample(quiet, sample(9, { v1: 4, v2: 1 })).length, 3)
})

test('layer history: never more samples than can be told apart', () => {
  let samples: readonly LayerSample[] = []
  for (let atMs = 0; atMs < 1_000; atMs++) samples = addSample(samples, sample(atMs, { v1: atMs % 2 }))
  assert.equal(samples.length, 240)
  assert.equal(samples.at(-1)?.atMs, 999)
})

test('layer history: bands lie on one another, the old one shrinks, and the last count holds until now', () => {
  const [old, now] = decideBands([sample(0, { v1: 10 }), sample(50, { v1: 4, v2: 6 })], 100)
  assert.deepEqual(old, {
    ...{ version: 'v1', key: undefined },
    points: [
      [0, 0, 100],
      [50, 60, 100],
      [100, 60, 100],
    ],
  })
  assert.deepEqual(now?.points, [
    [0, 0, 0],
    [50, 0, 60],
    [100, 0, 60],
  ])
})

test('layer history: nothing is drawn of nothing', () => assert.deepEqual(decideBands([], 5), []))
