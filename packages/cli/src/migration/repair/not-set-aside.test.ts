import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notSetAsideText } from './not-set-aside.ts'

test('repair --object: one that does not exist is not found, and not said to be in order', () => {
  const text = (now: Parameters<typeof notSetAsideText>[1]) => notSetAsideText('lamps default/nope', now)
  assert.match(text('gone'), /^--object: lamps default\/nope is not found: /)
  assert.doesNotMatch(text('unseen'), /can be decoded|not found/)
  assert.match(text('readable'), /is not set aside, and can be decoded$/)
})
