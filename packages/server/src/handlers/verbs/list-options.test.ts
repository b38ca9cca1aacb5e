import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readListOptions } from './list-options.ts'
import { freshnessOf, listRequest, watchBeginning } from './list-request.ts'

const query = (text: string): URLSearchParams => new URLSearchParams(text)

const refused: ReadonlyArray<[use: 'list' | 'watch', query: string, code: number, message: string]> = [
  ['list', 'limit=abc', 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
  ['list', 'limit=9999999999999999999', 400, 'value out of range'],
  ['watch', 'timeoutSeconds=soon', 400, 'strconv.ParseInt: parsing "soon": invalid syntax'],
  ['list', 'labelSelector=a in b', 400, "unable to parse requirement: found 'b' expected: '('"],
  ['list', 'fieldSelector=a', 400, "invalid selector: 'a'; can't understand 'a'"],
  ['list', 'resourceVersionMatch=Exact', 422, 'forbidden unless resourceVersion is provided'],
  ['list', 'resourceVersionMatch=Exact&resourceVersion=0', 422, 'forbidden for resourceVersion "0"'],
  ['list', 'resourceVersionMatch=Nope&resourceVersion=1', 422, 'Unsupported value: "Nope"'],
  [
    'list',
    'resourceVersionMatch=NotOlderThan&resourceVersion=1&continue=x',
    422,
    'forbidden when continue is provided',
  ],
  ['list', 'sendInitialEvents=false', 422, 'sendInitialEvents is forbidden for list'],
  ['watch', 'sendInitialEvents=true', 422, 'requires setting resourceVersionMatch to NotOlderThan'],
  ['watch', 'resourceVersionMatch=NotOlderThan', 422, 'forbidden for watch unless sendInitialEvents'],
  ['watch', 'sendInitialEvents=true&resourceVersionMatch=Exact', 422, 'supported values: "NotOlderThan"'],
]
for (const [use, text, code, message] of refused) {
  test(`list options: ${use}?${text} is refused`, () => {
    assert.throws(
      () => readListOptions(query(text), use),
      (error: { code: number; message: string }) => {
        assert.equal(error.code, code)
        assert.ok(error.message.includes(message), error.message)
        return true
      },
    )
  })
}

const everything = {
  prefix: '/registry/x/',
  scope: '/registry/x/',
  isEverything: true,
  dependsOnContent: false,
  needsWebhook: false,
  ready: () => undefined,
  matches: () => true,
}
const moments: ReadonlyArray<[query: string, moment: unknown, limit?: number]> = [
  ['', { freshness: 'newest' }],
  ['limit=5', { freshness: 'newest' }, 5],
  ['limit=-1', { freshness: 'newest' }],
  ['resourceVersion=0', { freshness: 'any' }],
  ['resourceVersion=0&limit=5', { freshness: 'any' }],
  ['resourceVersion=0&limit=5&continue=x', { freshness: 'any' }, 5],
  ['resourceVersion=7', { freshness: 7 }],
  ['resourceVersion=7&limit=5', { exactly: 7 }, 5],
  ['resourceVersion=7&limit=5&resourceVersionMatch=NotOlderThan', { freshness: 7 }, 5],
  ['resourceVersion=7&resourceVersionMatch=Exact', { exactly: 7 }],
]
for (const [text, moment, limit] of moments) {
  test(`list options: the moment of a list with "${text}"`, () => {
    const request = listRequest(readListOptions(query(text), 'list'), everything)
    assert.deepEqual([request.moment, request.limit], [moment, limit])
  })
}

const match = 'resourceVersionMatch=NotOlderThan'
const beginnings: ReadonlyArray<[query: string, begin: unknown]> = [
  ['', { stateAt: 'newest' }],
  ['resourceVersion=0', { stateAt: 'any' }],
  ['resourceVersion=7', { after: 7 }],
  [`sendInitialEvents=true&${match}`, { stateAt: 'newest' }],
  [`sendInitialEvents=true&${match}&resourceVersion=7`, { stateAt: 7 }],
  [`sendInitialEvents=false&${match}`, { after: 'newest' }],
  [`sendInitialEvents=false&${match}&resourceVersion=0`, { after: 'any' }],
  [`sendInitialEvents=false&${match}&resourceVersion=7`, { after: 7 }],
]
for (const [text, begin] of beginnings) {
  test(`list options: a watch with "${text}" begins where it should`, () => {
    assert.deepEqual(watchBeginning(readListOptions(query(text), 'watch')), begin)
  })
}

test('list options: what is no revision is said in the words of the verb', () => {
  const problem = 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax'
  assert.throws(() => freshnessOf('abc'), { code: 500, reason: '', message: problem })
  const options = readListOptions(query('resourceVersion=abc'), 'list')
  assert.throws(() => listRequest(options, everything), {
    code: 400,
    message: `invalid resource version: ${problem}`,
  })
  assert.throws(() => freshnessOf('18446744073709551616'), /value out of range/)
})
