import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFullSize } from '../support/full-size.ts'
import { checkers } from './checkers/index.ts'
import { describeFailure } from './describe-failure.ts'
import { rotating } from './key-sabotages.ts'
import { migrationPrefixes } from './keys.ts'
import { runSeed } from './run-seed.ts'
import type { Sabotage } from './sabotage.ts'
import { SeedPool } from './seed-pool.ts'
import type { Shape } from './world/shape.ts'

const seeds = isFullSize ? 500 : 30

test(`simulation: ${seeds} worlds, and no promise is broken in any of them`, async () => {
  const pool = new SeedPool()
  try {
    const reports = await Promise.all(
      Array.from({ length: seeds }, (_, index) => pool.run({ seed: String(index + 1) })),
    )
    for (const report of reports) {
      if (report.violations.length > 0) assert.fail(await describeFailure(report))
    }
    // A world in which nothing happens keeps every promise.
    assert.ok(reports.every(({ operations }) => operations > 50))
    // Nor does one in which no key is ever removed break what is promised of that.
    assert.ok(reports.some(({ keysDropped }) => keysDropped > 0))
    // Nor does one without an aggregated fleet say anything of those.
    assert.ok(reports.some(({ counts }) => (counts['fault: mirror cut off'] ?? 0) > 0))
    // Nor is anything known of migrations that are looked for where they do not stand.
    const found = new Set(reports.flatMap((report) => report.migrationPrefixes))
    assert.deepEqual([...found].sort(), migrationPrefixes.toSorted())
  } finally {
    await pool.close()
  }
})

test('simulation: the same seed twice is the same run, and another seed is another', async () => {
  const first = await runSeed({ seed: 'determinism' })
  const again = await runSeed({ seed: 'determinism' })
  const other = await runSeed({ seed: 'determinism!' })
  assert.equal(again.traceHash, first.traceHash)
  assert.notEqual(other.traceHash, first.traceHash)
})

test('simulation: a worker runs a seed as this thread does', async () => {
  const pool = new SeedPool(1)
  try {
    const { traceHash } = await pool.run({ seed: 'elsewhere' })
    assert.equal(traceHash, (await runSeed({ seed: 'elsewhere' })).traceHash)
  } finally {
    await pool.close()
  }
})

/** Looked at as often as one that is broken, by all. */
const nothingBroken = (shape: Partial<Shape>): Sabotage => ({
  name: 'nothing',
  breaks: 'nothing',
  caughtBy: [checkers[0]?.name ?? '', ...checkers.map(({ name }) => name)],
  shape,
})

for (const [what, shape, seeds] of [
  ['anything', { definitions: true, rollsForms: true, theme: 'anything' }, ['1', '2']],
  // As the promises about keys are broken: a checker that objected too early would notice each of them.
  ['keys', rotating, ['1']],
  ['an aggregated fleet', { aggregated: 2, migrations: 'both', theme: 'anything' }, ['1']],
] satisfies [string, Partial<Shape>, string[]][]) {
  for (const seed of isFullSize ? ['1', '2', '3', '4', '5', '6', '7', '8'] : seeds) {
    test(`simulation: a history that goes on has broken no promise either (${what}, ${seed})`, async () => {
      const { violations } = await runSeed({ seed, sabotage: nothingBroken(shape) })
      assert.deepEqual(violations, [])
    })
  }
}
