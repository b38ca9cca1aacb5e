import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DocumentShelf } from './document-shelf.ts'

test('document shelf: keeps the most recently used, up to its limit', () => {
  const made: string[] = []
  const shelf = new DocumentShelf<string>(30)
  const ask = (key: string, bytes = 10): void => {
    shelf.get(key, () => {
      made.push(key)
      return new Uint8Array(bytes)
    })
  }
  for (const key of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) ask(key)
  assert.deepEqual(made, ['a', 'b', 'c', 'd', 'b'])
  assert.equal(shelf.bytes, 30)
  ask('large', 100)
  assert.equal(shelf.bytes, 100)
  ask('a')
  assert.equal(shelf.bytes, 10)
  shelf.drop('a')
  shelf.drop('never there')
  assert.equal(shelf.bytes, 0)
})
