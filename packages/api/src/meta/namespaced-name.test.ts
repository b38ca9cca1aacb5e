import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namespacedName } from './namespaced-name.ts'

const rows: ReadonlyArray<[object: Parameters<typeof namespacedName>[0], want: string]> = [
  [{ namespace: 'default', name: 'one' }, 'default/one'],
  [{ name: 'one' }, 'one'],
  [{ namespace: '', name: 'one' }, 'one'],
  [{}, ''],
]
for (const [object, want] of rows) {
  test(`the name of an object with its namespace: ${JSON.stringify(object)}`, () =>
    assert.equal(namespacedName(object), want))
}
