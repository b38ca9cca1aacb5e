import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sabotages } from './sabotage.ts'
import { SeedPool } from './seed-pool.ts'

/** Each must be noticed within so many worlds. */
const seeds = 40

test('simulation: every broken rule is noticed, by the checker that watches over it', async (t) => {
  const pool = new SeedPool()
  try {
    await Promise.all(
      sabotages.map((sabotage) =>
        t.test(`${sabotage.name}: ${sabotage.breaks}`, async () => {
          const { firstSeed = 1 } = sabotage
          for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
            const { violations } = await pool.run({ seed: String(seed), sabotage: sabotage.name })
            if (violations.some(({ checker }) => sabotage.caughtBy.includes(checker))) return
          }
          assert.fail(`not noticed in ${seeds} seeds`)
        }),
      ),
    )
  } finally {
    await pool.close()
  }
})
