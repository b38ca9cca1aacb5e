import assert from 'node:assert/strict'
import { test } from 'node:test'
import { warningHeaders } from './warnings.ts'

test('warnings: each once, quoted', () => {
  assert.deepEqual(warningHeaders(['unknown field "a"', 'unknown field "a"', 'b\\c']), [
    '299 - "unknown field \\"a\\""',
    '299 - "b\\\\c"',
  ])
})

test('warnings: none can smuggle in a header', () => {
  assert.deepEqual(warningHeaders(['a\r\nset-cookie: x', '\n']), ['299 - "a  set-cookie: x"'])
})

test('warnings: other letters travel as UTF-8', () => {
  assert.deepEqual(warningHeaders(['é']), [`299 - "${Buffer.from('é').toString('latin1')}"`])
})

test('warnings: many are cut, very many are dropped', () => {
  const long = Array.from({ length: 30 }, (_, index) => `${index} ${'x'.repeat(1000)}`)
  const headers = warningHeaders(long)
  assert.equal(headers.length, 16)
  assert.equal(headers[0]?.length, 256 + '299 - ""'.length)
})
