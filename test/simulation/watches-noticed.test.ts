import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noticedAt } from './find-sabotage.ts'
import { sabotageNamed } from './sabotage.ts'
import { SeedPool } from './seed-pool.ts'

test('simulation: with every fifth watch event dropped, nine worlds of ten fail', async (t) => {
  const sabotage = sabotageNamed('events-dropped')
  assert.ok(sabotage)
  const seeds = Array.from({ length: 10 }, (_, index) => String(index + 1))
  const pool = new SeedPool()
  try {
    const found = await Promise.all(seeds.map((seed) => noticedAt(pool, sabotage, seed)))
    const failed = found.filter((each) => each !== undefined)
    t.diagnostic(`${failed.length} of ${seeds.length} failed`)
    assert.ok(failed.length >= 9, `only ${failed.length} of ${seeds.length} worlds failed`)
  } finally {
    await pool.close()
  }
})
