import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goTimeProblem } from './go-time.ts'

const seconds = '"2006-01-02T15:04:05Z07:00"'
const micros = '"2006-01-02T15:04:05.000000Z07:00"'
const cases: ReadonlyArray<[text: string, isMicro: boolean, problem: string | undefined]> = [
  ['2024-01-02T03:04:05Z', false, undefined],
  ['2024-01-02T03:04:05.5Z', false, undefined],
  ['2024-02-29T03:04:05+01:00', false, undefined],
  ['2024-01-02T03:04:05.123456Z', true, undefined],
  ['yesterday', true, `parsing time "yesterday" as ${micros}: cannot parse "yesterday" as "2006"`],
  ['', false, `parsing time "" as ${seconds}: cannot parse "" as "2006"`],
  [
    '2024-01-02T03:04:05Z',
    true,
    `parsing time "2024-01-02T03:04:05Z" as ${micros}: cannot parse "Z" as ".000000"`,
  ],
  [
    '2024-01-02T03:04:06.5Z',
    true,
    `parsing time "2024-01-02T03:04:06.5Z" as ${micros}: cannot parse ".5Z" as ".000000"`,
  ],
  ['2024-13-02T03:04:05Z', false, 'parsing time "2024-13-02T03:04:05Z": month out of range'],
  ['2023-02-29T03:04:05Z', false, 'parsing time "2023-02-29T03:04:05Z": day out of range'],
  ['2024-01-02T03:04:05Zx', false, 'parsing time "2024-01-02T03:04:05Zx": extra text: "x"'],
]
for (const [text, isMicro, problem] of cases) {
  test(`Go's time: ${isMicro ? 'micro ' : ''}"${text}"`, () =>
    assert.equal(goTimeProblem(text, isMicro), problem))
}
