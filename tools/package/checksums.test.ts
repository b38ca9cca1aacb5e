import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { renderChecksums } from './checksums.ts'
import { checkIntegrity } from './node-binary.ts'

describe('digests', () => {
  test('the list is what sha256sum reads, sorted by name', () => {
    const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
    const files = new Map([
      ['b', Buffer.from('')],
      ['a', Buffer.from('')],
    ])
    assert.equal(renderChecksums(files), `${empty}  a\n${empty}  b\n`)
  })

  test('a Node that is not the pinned one is refused', () => {
    const integrity =
      'sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=='
    checkIntegrity(Buffer.from(''), integrity, 'node')
    assert.throws(
      () => checkIntegrity(Buffer.from('x'), integrity, 'node 1.0'),
      /node 1\.0 is not what package-lock\.json pins/,
    )
    assert.throws(() => checkIntegrity(Buffer.from(''), '', 'node'), /is not what/)
  })
})
