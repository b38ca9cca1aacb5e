import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StepVerdict } from '../path/rehearsal-form.ts'
import type { StepResult } from '../result/rehearsal-result.ts'
import { findWorse, stepToTell, withWorse } from './worst-of-plays.ts'

const steps = (verdicts: readonly StepVerdict[], expected: readonly StepVerdict[]): readonly StepResult[] =>
  verdicts.map((verdict, index) => ({
    ...{ step: index + 1, text: '', verdict, expected: expected[index] ?? 'safe', reasons: [] },
    ...{ passed: verdict === (expected[index] ?? 'safe'), fromMs: 0, toMs: 0, servers: [], stored: [] },
  }))

interface Row {
  readonly soFar: readonly StepVerdict[]
  readonly played: readonly StepVerdict[]
  readonly expected?: readonly StepVerdict[]
  readonly verdicts: readonly StepVerdict[]
  readonly told: number | undefined
}

const rows: Readonly<Record<string, Row>> = {
  'as good as before': { soFar: ['safe'], played: ['safe'], verdicts: ['safe'], told: undefined },
  'every step that is worse': {
    ...{ soFar: ['safe', 'safe', 'safe'], played: ['safe', 'unsafe', 'unsafe'] },
    ...{ verdicts: ['safe', 'unsafe', 'unsafe'], told: 2 },
  },
  'the story is about the step that is not as expected': {
    ...{ soFar: ['safe', 'safe'], played: ['unsafe', 'unsafe'], expected: ['unsafe'] },
    ...{ verdicts: ['unsafe', 'unsafe'], told: 2 },
  },
  'a stopped server makes others wait: no finding': {
    ...{ soFar: ['safe', 'safe'], played: ['refused', 'could not see'] },
    ...{ verdicts: ['safe', 'safe'], told: undefined },
  },
  'what an earlier play found stays': {
    ...{ soFar: ['unsafe', 'refused'], played: ['safe', 'unsafe'] },
    ...{ verdicts: ['unsafe', 'unsafe'], told: 2 },
  },
}
for (const [name, { soFar, played, expected = [], verdicts, told }] of Object.entries(rows)) {
  test(`worst of plays: ${name}`, () => {
    const before = steps(soFar, expected)
    const worse = findWorse(before, steps(played, expected))
    const after = withWorse(before, worse)
    assert.deepEqual(
      after.map(({ verdict }) => verdict),
      verdicts,
    )
    for (const { verdict, expected, passed } of after) assert.equal(passed, verdict === expected)
    assert.equal(stepToTell(worse)?.step, told)
  })
}
