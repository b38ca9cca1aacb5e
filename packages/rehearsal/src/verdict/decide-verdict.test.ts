import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reason } from '../result/rehearsal-result.ts'
import { decideVerdict } from './decide-verdict.ts'

const cases: ReadonlyArray<[levels: readonly Reason['level'][], verdict: string]> = [
  [[], 'safe'],
  [['note'], 'safe'],
  [['note', 'could not see'], 'could not see'],
  [['could not see', 'refused'], 'refused'],
  [['unsafe', 'refused', 'could not see'], 'unsafe'],
]
for (const [levels, verdict] of cases) {
  test(`verdict: ${levels.join(', ') || 'no reason'} is ${verdict}`, () => {
    assert.equal(decideVerdict(levels.map((level) => ({ level, rule: 'r', message: 'm' }))), verdict)
  })
}
