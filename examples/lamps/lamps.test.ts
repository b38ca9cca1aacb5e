import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { CustomResourceDefinition } from '@strata/api'
import { parse, parseAllDocuments } from 'yaml'

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')
const crd = (name: string): CustomResourceDefinition => parse(read(name))

test('lamps: the CRDs differ only in the storage version', () => {
  const [before, after] = [crd('crd-v1.yaml'), crd('crd-v2.yaml')]
  const stored = ({ spec }: CustomResourceDefinition) =>
    (spec.versions ?? []).filter(({ storage }) => storage).map(({ name }) => name)
  assert.deepEqual([stored(before), stored(after)], [['v1'], ['v2']])
  const unset = (each: CustomResourceDefinition) => JSON.stringify(each).replace(/"storage":\w+/g, '')
  assert.equal(unset(before), unset(after))
})

test('lamps: the objects are of the kind of the CRDs, in v1', () => {
  const lamps = parseAllDocuments(read('lamps.yaml')).map((each) => each.toJS())
  assert.deepEqual(
    lamps.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`),
    lamps.map(() => 'light.example.dev/v1 Lamp'),
  )
})
