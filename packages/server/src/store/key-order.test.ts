import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareKeys, prefixEnd, sortsNatively } from './key-order.ts'

const texts = [
  '',
  'a',
  'a/',
  'a/b',
  'b',
  '\u007f',
  '\u0080',
  'ÿ',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '😀',
  '😀a',
  '\u{10ffff}',
]

test('keys are compared as their UTF-8 bytes are', () => {
  for (const a of texts) {
    for (const b of texts) {
      const want = Buffer.compare(Buffer.from(a), Buffer.from(b))
      assert.equal(Math.sign(compareKeys(a, b)), want, JSON.stringify([a, b]))
      if (sortsNatively(a) && sortsNatively(b)) assert.equal(a < b ? -1 : a > b ? 1 : 0, want)
    }
  }
})

test('the end of a prefix parts its keys from all greater ones', () => {
  for (const prefix of texts) {
    const end = prefixEnd(prefix)
    for (const key of texts) {
      const inside = compareKeys(key, prefix) >= 0 && (end === undefined || compareKeys(key, end) < 0)
      assert.equal(inside, key.startsWith(prefix), JSON.stringify([prefix, key]))
    }
  }
  assert.equal(prefixEnd(''), undefined)
  assert.equal(prefixEnd('\u{10ffff}'), undefined)
  assert.equal(prefixEnd('a\u{10ffff}'), 'b')
})
