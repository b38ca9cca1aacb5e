import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storedTypeIn, storedVersionIn } from './stored-version.ts'

const [v1, v2] = ['example.dev/v1', 'example.dev/v2']

const stored: Record<string, readonly [bytes: string, apiVersion: string | undefined]> = {
  'as servers write it': ['{"kind":"A","apiVersion":"example.dev/v1","metadata":{}}', v1],
  'with fields of another release': ['{"apiVersion":"example.dev/v1","kind":"A","metadata":{}}', v1],
  'as another program wrote it': ['{ "metadata": {"apiVersion": "no"}, "apiVersion": "example.dev/v2" }', v2],
  'with none': ['{"kind":"A"}', undefined],
  'of another encoding': ['k8s\u0000\n\u0010', undefined],
  'of no object': ['null', undefined],
}

for (const [name, [bytes, apiVersion]] of Object.entries(stored)) {
  test(`version in stored bytes ${name}`, () => {
    assert.equal(storedVersionIn(Buffer.from(bytes)), apiVersion)
  })
}

const kinds: Record<string, string> = {
  'as servers write it': '{"kind":"A","apiVersion":"v1","metadata":{}}',
  'with fields of another release': '{"apiVersion":"v1","kind":"A","metadata":{}}',
  'as another program wrote it': '{ "metadata": {}, "kind": "A", "apiVersion": "v1" }',
}

for (const [name, bytes] of Object.entries(kinds)) {
  test(`kind in stored bytes ${name}`, () => {
    assert.deepEqual(storedTypeIn(Buffer.from(bytes)), { apiVersion: 'v1', kind: 'A' })
  })
}
