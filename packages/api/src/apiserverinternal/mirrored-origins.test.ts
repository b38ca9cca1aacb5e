import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mirroredOrigins, originsAnnotation } from './mirrored-origins.ts'

const one = { origin: 'o', recordUID: 'r', epoch: 3, resourceVersion: '7' }
const rows: readonly [name: string, text: string | undefined, wanted: unknown][] = [
  ['no annotation', undefined, undefined],
  ['no origin', '[]', []],
  ['one origin', JSON.stringify([one]), [one]],
  ['fields of a later release', JSON.stringify([{ ...one, more: 1 }]), [{ ...one, more: 1 }]],
  ['no JSON', '[', 'unreadable'],
  ['no list', '{}', 'unreadable'],
  ['null in the list', '[null]', 'unreadable'],
  ['an origin without a record', '[{"origin":"o"}]', 'unreadable'],
]
for (const [name, text, wanted] of rows) {
  test(`mirrored origins: ${name}`, () => {
    const annotations = text === undefined ? {} : { [originsAnnotation]: text }
    assert.deepEqual(mirroredOrigins({ metadata: { annotations } }), wanted)
  })
}
