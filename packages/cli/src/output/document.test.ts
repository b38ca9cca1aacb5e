import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { printDocument } from './document.ts'

test('a document survives YAML, also a deeply nested quoted text', () => {
  let deep: unknown = 'a quoted "text" \u0007 with spaces to fold at, longer than what is left of the line'
  for (let depth = 0; depth < 100; depth++) deep = [deep]
  const document = { deep, flat: 'word '.repeat(60) }
  const text = printDocument(document, 'yaml')
  assert.deepEqual(parse(text), document)
  assert.match(text, /^flat: .{250,}$/m)
})
