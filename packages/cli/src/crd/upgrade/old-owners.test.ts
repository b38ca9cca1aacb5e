import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crdForTest } from '../plan/crd-for-test.ts'
import { OldOwners } from './old-owners.ts'

const object = (...versions: readonly string[]) => ({
  metadata: {
    managedFields: versions.map((each) => ({
      ...({ manager: 'kubectl', operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1: {} } as const),
      apiVersion: each,
    })),
  },
})
const rows: readonly [objects: readonly (readonly string[])[], want: RegExp | undefined][] = [
  [[], undefined],
  [[['light.example.dev/v2'], []], undefined],
  [[['light.example.dev/v1'], ['light.example.dev/v2']], /^1 object has managedFields in v1, /],
  [[['light.example.dev/v1', 'light.example.dev/v0'], ['light.example.dev/v1']], /^2 objects .* v0, v1, /],
]
for (const [objects, want] of rows) {
  test(`old owners: ${JSON.stringify(objects)}`, () => {
    const owners = new OldOwners(crdForTest({ versions: 'v2*' }))
    for (const each of objects) owners.see(object(...each))
    if (want === undefined) assert.equal(owners.text, undefined)
    else assert.match(owners.text ?? '', want)
  })
}
