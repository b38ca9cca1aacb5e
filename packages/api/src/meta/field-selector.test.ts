import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesFields, parseFieldSelector, requiredField } from './field-selector.ts'

const object: Readonly<Record<string, string>> = { 'metadata.name': 'a', type: 'x=y,z' }
const read = (field: string): string => object[field] ?? ''
const cases: ReadonlyArray<[text: string, matches: boolean]> = [
  ['', true],
  ['metadata.name=a', true],
  ['metadata.name==a', true],
  ['metadata.name!=a', false],
  ['metadata.name=a,metadata.name=b', false],
  ['type=x\\=y\\,z', true],
  ['absent=', true],
  ['absent!=', false],
]
for (const [text, matches] of cases) {
  test(`field selector: ${text || 'nothing'}`, () =>
    assert.equal(matchesFields(parseFieldSelector(text), read), matches))
}
test('field selector: what has no operator is refused', () => {
  assert.throws(() => parseFieldSelector('metadata.name'), {
    message: "invalid selector: 'metadata.name'; can't understand 'metadata.name'",
  })
})
test('field selector: a required value is found', () => {
  assert.equal(requiredField(parseFieldSelector('type!=x,metadata.name=a'), 'metadata.name'), 'a')
  assert.equal(requiredField(parseFieldSelector('metadata.name!=a'), 'metadata.name'), undefined)
})
