import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderJunit } from './render-junit.ts'
import { renderSarif } from './render-sarif.ts'
import type { Report } from './report.ts'
import { checkJunit, checkSarif } from './report-forms-for-test.ts'

const found = { rule: 'stale', subject: 'lamps', message: 'old', file: 'a.yaml', line: 3 }
const report: Report = {
  ...{ command: 'verify', sections: [], document: {} },
  results: [
    { level: 'failed', ...found },
    { level: 'passed', ...found },
  ],
}

const wrong: readonly [form: 'junit' | 'sarif', name: string, from: string | RegExp, to: string][] = [
  ['junit', 'an entity that XML does not have', '>a.yaml', '>&nbsp;a.yaml'],
  ['junit', 'a character that XML does not have', '>a.yaml', '>\u0007a.yaml'],
  ['junit', 'an element that is not closed', '</failure>', ''],
  ['junit', 'an attribute twice', 'hostname=', 'id="1" hostname='],
  ['junit', 'an attribute that is not known', 'hostname=', 'os="x" hostname='],
  ['junit', 'an attribute that is missing', ' hostname="localhost"', ''],
  ['junit', 'a time with a zone', '04:05"', '04:05Z"'],
  ['junit', 'an element that is not known', '<system-err/>', '<log/>'],
  ['junit', 'elements in another order', '<properties/>', '<system-err/><properties/>'],
  ['junit', 'two ends of one case', '</failure>', '</failure><error type="x"/>'],
  ['junit', 'a wrong number of failures', 'failures="1"', 'failures="2"'],
  ['junit', 'text after the root', /$/, 'x'],
  ['sarif', 'another version', '"2.1.0"', '"2.0.0"'],
  ['sarif', 'no message', '"message": {', '"said": {'],
  ['sarif', 'a field that is not known', '"level":', '"severity": "high", "level":'],
  ['sarif', 'a level that is not known', '"level": "error"', '"level": "fatal"'],
  ['sarif', 'a line before the first', '"startLine": 3', '"startLine": 0'],
  ['sarif', 'a line that is a text', '"startLine": 3', '"startLine": "3"'],
  ['sarif', 'a path that is no URI', '"a.yaml"', '"a b.yaml"'],
  ['sarif', 'an index of no rule', '"ruleIndex": 0', '"ruleIndex": 1'],
]
for (const [form, name, from, to] of wrong) {
  test(`-o ${form}: the check of tests refuses ${name}`, () => {
    const [valid, check] =
      form === 'junit'
        ? ([renderJunit(report, Date.parse('2026-01-02T03:04:05Z')), checkJunit] as const)
        : ([renderSarif(report), checkSarif] as const)
    check(valid)
    const changed = valid.replace(from, () => to)
    assert.notEqual(changed, valid)
    assert.throws(() => check(changed))
  })
}
