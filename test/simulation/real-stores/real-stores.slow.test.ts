import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCounts, type Counts } from '../coverage.ts'
import type { Shape } from '../world/shape.ts'
import { adapterSabotages } from './adapter-sabotages.ts'
import { describeRealFailure } from './describe-real-failure.ts'
import { type RealStoreKind, realStores, runRealSeed } from './run-real-seed.ts'
import { findRealSabotage } from './run-real-seeds.ts'

const scale = Math.max(1, Number(process.env.STRATA_TEST_SCALE ?? 1))

/** One world that is mostly storm, and some of any kind. */
const worlds: ReadonlyArray<[seed: string, shape: Partial<Shape>]> = [
  ['storms', { theme: 'storms', troubleMs: 60_000, kinds: 'few' }],
  ...Array.from({ length: 2 * scale }, (_, index): [string, Partial<Shape>] => [
    String(index + 1),
    { troubleMs: 30_000, kinds: 'few' },
  ]),
]

/** What must have happened in these worlds: otherwise they prove nothing. Each line is any of these. */
const mustHappen: Readonly<Record<RealStoreKind, readonly (readonly string[])[]>> = {
  etcd: [
    ['store fault: cut before requests were sent on'],
    ['store fault: answers dropped, and cut'],
    ['store fault: delayed'],
    ['store fault: cut at once'],
    ['store told: unknown'],
    ['store told: refused'],
  ],
  sqlite: [
    ['store fault: begin', 'store fault: write'],
    ['store fault: commitLost', 'store fault: commitKept'],
    ['store fault: locked'],
    ['store fault: I/O error met'],
    ['store told: failed'],
    ['store told: unknown'],
    ['store told: refused'],
  ],
}

for (const store of realStores) {
  test(`simulation over ${store}: worlds keep every promise, and faults met them`, async () => {
    const counts: Counts = {}
    for (const [seed, shape] of worlds) {
      const result = await runRealSeed(store, { seed, shape })
      assert.ok(result.violations.length === 0, describeRealFailure(result))
      assert.ok(
        result.history.operations.some(({ end }) => end?.outcome === 'ok'),
        'clients did nothing',
      )
      addCounts(counts, result.history.counts)
    }
    for (const names of mustHappen[store]) {
      const times = names.reduce((sum, name) => sum + (counts[name] ?? 0), 0)
      assert.ok(times > 0, `never happened: ${names.join(' or ')}; ${JSON.stringify(counts)}`)
    }
  })

  for (const sabotage of adapterSabotages) {
    test(`simulation over ${store}: ${sabotage.name} is noticed`, async () => {
      const seeds = Array.from({ length: 8 }, (_, index) => String(index + 1))
      assert.ok(await findRealSabotage(store, sabotage, seeds), `not noticed: ${sabotage.breaks}`)
    })
  }
}
