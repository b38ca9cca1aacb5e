import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearerToken, type Presented } from './bearer-token.ts'

const good = { token: 'good' }
const cases: ReadonlyArray<[header: string | readonly string[] | undefined, want: Presented]> = [
  [undefined, 'none'],
  ['', 'none'],
  ['Bearer good', good],
  ['bearer good', good],
  ['BEARER good  ', good],
  ['  Bearer good', good],
  [['Bearer good'], good],
  ['Bearer', 'none'],
  ['Bearer ', 'none'],
  ['Bearer  good', 'none'],
  ['Bearer\tgood', 'none'],
  ['Bearergood', 'none'],
  ['Token good', 'none'],
  ['Basic Z29vZA==', 'none'],
  ['Bearer good bad', 'malformed'],
  ['Bearer good, Bearer bad', 'malformed'],
  [['Bearer good', 'Bearer bad'], 'malformed'],
]
for (const [header, want] of cases) {
  test(`bearer token: ${JSON.stringify(header)}`, () => assert.deepEqual(bearerToken(header), want))
}
