import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { sha256 } from './sha256.ts'

test('sha256: the same as that of Node, at every length around the ends of blocks', () => {
  for (const length of [0, 1, 3, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000]) {
    const message = Uint8Array.from({ length }, (_, index) => (index * 37 + length) & 0xff)
    const wanted = createHash('sha256').update(message).digest('hex')
    assert.equal(Buffer.from(sha256(message)).toString('hex'), wanted, `${length} bytes`)
  }
})
