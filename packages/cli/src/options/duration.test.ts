import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDuration } from './duration.ts'

const cases: ReadonlyArray<[text: string, ms: number]> = [
  ['0', 0],
  ['90s', 90_000],
  ['1h30m', 5_400_000],
  ['250ms', 250],
  ['1.5s', 1500],
]
for (const [text, ms] of cases) test(`duration: ${text}`, () => assert.equal(parseDuration(text), ms))
for (const text of ['', '5', '5 m', 'm5', '5x']) {
  test(`duration: ${JSON.stringify(text)} is refused`, () =>
    assert.throws(() => parseDuration(text), /duration such as/))
}
