import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fuzz } from './fuzz.ts'
import { formatFinding } from './report.ts'
import { loadTargets } from './targets.ts'

const inputs = 4_000 * Math.max(1, Number(process.env['STRATA_TEST_SCALE'] ?? 1))

test('fuzz: no input crashes, hangs or is accepted wrongly', async () => {
  const seed = 'npm test'
  const report = await fuzz({ targets: await loadTargets(), seed, inputs })
  assert.deepEqual(
    report.findings.map((finding) => formatFinding(seed, finding)),
    [],
  )
  for (const { target, accepted, refused } of report.targets) {
    // Otherwise the inputs are all too broken, or none is broken at all.
    assert.ok(accepted > 0, `${target} accepted nothing`)
    assert.ok(refused > 0 || target === 'protobuf-values', `${target} refused nothing`)
  }
})
