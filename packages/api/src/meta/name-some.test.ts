import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameSome } from './name-some.ts'

test('names: a few are all named, of many the first few', () => {
  assert.equal(nameSome(['a', 'b', 'c']), 'a, b, c')
  assert.equal(nameSome(['a', 'b', 'c', 'd', 'e']), 'a, b, c and 2 more')
})
