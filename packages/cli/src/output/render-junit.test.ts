import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderJunit } from './render-junit.ts'
import type { Level, Result } from './report.ts'
import { checkJunit } from './report-forms-for-test.ts'

const atMs = Date.parse('2026-01-02T03:04:05Z')
const result = (level: Level, message = 'text'): Result => ({
  level,
  rule: 'a rule',
  subject: 'lamps',
  message,
})
const render = (...results: readonly Result[]): string =>
  renderJunit({ command: 'verify', sections: [], results, document: {} }, atMs)

const cases: readonly [level: Level, counts: RegExp, inCase: RegExp, inOutput: RegExp][] = [
  ['passed', /tests="1" failures="0" errors="0"/, /<testcase [^>]*\/>/, /<system-out><\/system-out>/],
  ['note', /failures="0" errors="0"/, /<testcase [^>]*\/>/, /<system-out>lamps: text<\/system-out>/],
  ['warning', /failures="0" errors="0"/, /<testcase [^>]*\/>/, /<system-out>lamps: text<\/system-out>/],
  [
    'unknown',
    /failures="0" errors="1"/,
    /<error message="text" type="a rule">lamps: text<\/error>/,
    /t><\/s/,
  ],
  ['failed', /failures="1" errors="0"/, /<failure message="text" type="a rule">lamps: text</, /t><\/s/],
]
for (const [level, counts, inCase, inOutput] of cases) {
  test(`-o junit: ${level}`, () => {
    const text = render(result(level))
    checkJunit(text)
    for (const each of [counts, inCase, inOutput]) assert.match(text, each)
  })
}

test('-o junit: nothing, several, and text that XML cannot hold', () => {
  checkJunit(render())
  const text = render(
    result('failed', 'a < b & "c" \u0007\ud800 ]]>\nnext'),
    result('passed'),
    result('note'),
  )
  checkJunit(text)
  assert.match(text, /message="a &lt; b &amp; &quot;c&quot; \ufffd\ufffd \]\]&gt;&#10;next"/)
})
