import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFullSize } from '../support/full-size.ts'
import { runSeed } from './run-seed.ts'
import { partsOf, releasePairs, type Theme } from './world/shape.ts'

const themes: readonly Theme[] = ['calm', 'zombies', 'twins', 'rollouts', 'storms', 'anything']

const kinds = { 'some-unrecorded': 'do not record what they write', 'some-unseen': 'nobody can see' } as const

/** Rule 18: some servers do not record what they write; those that roll their form record from then on. */
for (const [parts, who] of Object.entries(kinds) as [keyof typeof kinds, string][])
  for (const theme of isFullSize ? themes : themes.slice(1, 4)) {
    test(`simulation, rule 18: ${theme} in a fleet of which some ${who}`, async () => {
      const shape = { theme, releases: releasePairs.switch, parts: partsOf[parts] }
      const report = await runSeed({ seed: `${parts} ${theme}`, shape })
      assert.deepEqual(report.violations, [])
      const says = report.history.runs.some(({ part }) => part.records === false)
      assert.ok(says, 'somebody was there who does not record')
    })
  }
