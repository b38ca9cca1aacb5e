import assert from 'node:assert/strict'
import { test } from 'node:test'
import { objectSchema } from '../identity-version.ts'
import type { Schema } from '../schema.ts'
import { appliedProblems } from './applied-problems.ts'

const text: Schema = { type: 'string' }
const schema = objectSchema({
  data: { type: 'object', additionalProperties: text },
  flag: { type: 'boolean' },
  count: { type: 'integer' },
  texts: { type: 'array', items: text },
  tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
  ports: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: { type: 'object', properties: { name: text, port: { type: 'integer' } } },
  },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  any: { type: 'object' },
})

const cases: ReadonlyArray<[object: Record<string, unknown>, want: string | undefined]> = [
  [{ data: { a: 'x' }, free: { a: [1] }, any: { b: 1 }, count: null, ports: [{ name: 'a' }] }, undefined],
  [{ bogus: 1 }, '.bogus: field not declared in schema'],
  [{ metadata: { bogus: 1 } }, '.metadata.bogus: field not declared in schema'],
  [{ ports: [{ name: 'a', bogus: 1 }] }, '.ports[name="a"].bogus: field not declared in schema'],
  [{ data: { a: 1 } }, '.data.a: expected string, got &value.valueUnstructured{Value:1}'],
  [
    { data: { a: { b: 'c' } } },
    '.data.a: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"b":"c"}}',
  ],
  [{ data: 'a' }, '.data: expected map, got &{a}'],
  [{ texts: { a: 1 } }, '.texts: expected list, got &{map[a:1]}'],
  [{ flag: 'yes' }, '.flag: expected boolean, got &{yes}'],
  [{ count: 'one' }, '.count: expected numeric (int or float), got string'],
  [{ texts: ['a', 1] }, '.texts[1]: expected string, got &value.valueUnstructured{Value:1}'],
  [{ tags: ['a', 'b', 'a'] }, '.tags: duplicate entries for key [="a"]'],
  [{ ports: [{ name: 'a' }, { name: 'a' }] }, '.ports: duplicate entries for key [name="a"]'],
  [
    { ports: [{ port: 1 }] },
    '.ports: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
  ],
  [{ ports: ['a'] }, '.ports: element 0: associative list with keys may not have non-map elements'],
  [{ ports: [null] }, '.ports: element 0: associative list with keys may not have a null element'],
  [{ tags: [{}] }, ".tags: element 0: associative list without keys has an element that's a map type"],
  [{ tags: [[]] }, '.tags: element 0: not supported: associative list with lists as elements'],
  [
    { tags: [null] },
    ".tags: element 0: associative list without keys has an element that's an explicit null",
  ],
  [
    { flag: 1, count: true },
    'errors:\n  .flag: expected boolean, got &{1}\n  .count: expected numeric (int or float), got bool',
  ],
]
for (const [object, want] of cases) {
  test(`applied problems: ${JSON.stringify(object)}`, () =>
    assert.equal(appliedProblems(object, schema), want))
}
