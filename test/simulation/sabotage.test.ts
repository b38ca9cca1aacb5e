import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSabotage, noticedAt, rememberedSeeds } from './find-sabotage.ts'
import { sabotages } from './sabotage.ts'
import { SeedPool } from './seed-pool.ts'

/** Each must be noticed within so many worlds. */
const seeds = Array.from({ length: 40 }, (_, index) => String(index + 1))

/** So many may be found elsewhere than they were: more, and the search would be most of the time. */
const mostMoved = Math.floor(sabotages.length / 4)

test('simulation: every broken rule is noticed, by the checker that watches over it', async (t) => {
  const remembered = rememberedSeeds()
  const moved: string[] = []
  const pool = new SeedPool()
  try {
    await Promise.all(
      sabotages.map((sabotage) =>
        t.test(`${sabotage.name}: ${sabotage.breaks}`, async (t) => {
          const known = String(remembered[sabotage.name] ?? 1)
          if (await noticedAt(pool, sabotage, known)) return
          const found = await findSabotage(
            pool,
            sabotage,
            seeds.filter((seed) => seed !== known),
          )
          assert.ok(found, `not noticed in ${seeds.length} seeds`)
          moved.push(`${sabotage.name} (${known}, now ${found.seed})`)
          t.diagnostic(`noticed at seed ${found.seed}, and no longer at ${known}`)
        }),
      ),
    )
  } finally {
    await pool.close()
  }
  const advice = 'npm run sim -- --sabotage all --remember writes sabotage-seeds.json anew'
  assert.ok(moved.length <= mostMoved, `too many are noticed at other seeds: ${moved.join(', ')}; ${advice}`)
})

test('simulation: a seed is remembered for every sabotage, and for nothing else', () => {
  assert.deepEqual(Object.keys(rememberedSeeds()).sort(), sabotages.map(({ name }) => name).sort())
})
