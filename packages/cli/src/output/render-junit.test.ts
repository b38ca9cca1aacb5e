import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderJunit } from './render-junit.ts'
import type { Level, Result } from './report.ts'

const atMs = Date.parse('2026-01-02T03:04:05Z')
const result = (level: Level, message = 'text'): Result => ({
  level,
  rule: 'a rule',
  subject: 'lamps',
  message,
})
const render = (...results: readonly Result[]): string =>
  renderJunit({ command: 'verify', sections: [], results, document: {} }, atMs)

/** What the schemas of Ant and Jenkins require, and in which order. */
const shape =
  /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites>\n {2}<testsuite name="strata verify" package="strata\.verify" id="\d+" hostname="\S+" tests="\d+" failures="\d+" errors="\d+" skipped="0" time="0" timestamp="2026-01-02T03:04:05">\n {4}<properties\/>\n(?: {4}<testcase name="[^"<]*" classname="strata\.verify" time="0"(?:\/>|><(failure|error) message="[^"<]*" type="[^"<]*">[^<]*<\/\1><\/testcase>)\n)* {4}<system-out>[^<]*<\/system-out>\n {4}<system-err\/>\n {2}<\/testsuite>\n<\/testsuites>$/

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
    for (const each of [shape, counts, inCase, inOutput]) assert.match(text, each)
  })
}

test('-o junit: nothing, several, and text that XML cannot hold', () => {
  assert.match(render(), shape)
  const text = render(
    result('failed', 'a < b & "c" \u0007\ud800 ]]>\nnext'),
    result('passed'),
    result('note'),
  )
  assert.match(text, shape)
  assert.match(text, /message="a &lt; b &amp; &quot;c&quot; \ufffd\ufffd \]\]&gt;&#10;next"/)
})
