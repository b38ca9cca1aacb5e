import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fuzz } from './fuzz.ts'
import { loadTargets } from './targets.ts'

const targetsModule = new URL('./product-mistakes-for-test.ts', import.meta.url).href

for (const target of await loadTargets(targetsModule)) {
  test(`fuzz: an oracle notices that ${target.name}`, async () => {
    const { findings } = await fuzz({
      ...{ targets: [target], seed: '1', inputs: 2_000, size: 1, targetsModule },
    })
    assert.deepEqual(
      findings.map(({ kind }) => kind),
      ['wrong'],
      findings[0]?.text ?? 'found nothing',
    )
  })
}
