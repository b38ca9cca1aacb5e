import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Collection } from '../watch-cache/collection.ts'
import { readVersions } from './read-versions.ts'

const prefix = '/registry/things/'
const rows: ReadonlyArray<[name: string, values: string[], versions: string[]]> = [
  ['nothing', [], []],
  [
    'each version once',
    ['v2', 'v1', 'v2'].map((each) => `{"kind":"T","apiVersion":"${each}"}`),
    ['v1', 'v2'],
  ],
  ['another program’s order', ['{"metadata":{},"apiVersion":"v1"}'], ['v1']],
  ['damaged bytes', ['{"apiVersion":"v1"}', '\u0000k8s'], ['Unknown', 'v1']],
  ['encrypted with another key', ['k8s:enc:aescbc:v1:key1:…'], ['Unknown']],
]
for (const [name, values, versions] of rows) {
  test(`what is stored: ${name}`, () => {
    const collection = new Collection(prefix)
    const entries = values.map((value, index) => ({
      ...{ key: `${prefix}${index}`, value: Buffer.from(value) },
      ...{ revision: index + 1, createRevision: index + 1 },
    }))
    collection.reset(entries, values.length + 1)
    assert.deepEqual(readVersions(collection, prefix), versions)
  })
}
