import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cloneJson, type JsonObject, jsonEqual } from './json-value.ts'
import { applyMergePatch } from './merge-patch.ts'
import { PatchError } from './patch-error.ts'

// The rows of RFC 7386, appendix A, whose document and patch are objects; then our own.
const cases: ReadonlyArray<[name: string, document: string, patch: string, want: string]> = [
  ['a value is replaced', '{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['a value is added', '{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['null removes', '{"a":"b"}', '{"a":null}', '{}'],
  ['null removes only its field', '{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['a list gives way to a value', '{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['a value gives way to a list', '{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['objects are merged', '{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['lists are replaced whole', '{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['a null in the document stays', '{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ['nulls of a new object are nothing', '{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ['nulls of a new object in a list are nothing', '{}', '{"a":[{"b":null,"c":1}]}', '{"a":[{"c":1}]}'],
  ['a null that is an element stays', '{}', '{"a":[null,1]}', '{"a":[null,1]}'],
  ['an object takes the place of a value without its nulls', '{"a":1}', '{"a":{"b":null}}', '{"a":{}}'],
  ['__proto__ is a field', '{}', '{"__proto__":{"x":1}}', '{"__proto__":{"x":1}}'],
  ['constructor is a field', '{}', '{"constructor":{"prototype":1}}', '{"constructor":{"prototype":1}}'],
]
for (const [name, document, patch, want] of cases) {
  test(`merge patch: ${name}`, () => {
    assert.equal(JSON.stringify(applyMergePatch(JSON.parse(document), JSON.parse(patch))), want)
  })
}

const refused: ReadonlyArray<[patch: unknown, message: string]> = [
  [[], 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
  ['x', 'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}'],
  [true, 'error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}'],
  [null, 'Invalid JSON Patch'],
]
for (const [patch, message] of refused) {
  test(`merge patch: ${JSON.stringify(patch)} is no patch`, () => {
    assert.throws(() => applyMergePatch({}, patch), new PatchError('malformed', message))
  })
}

test('merge patch: a number keeps its text', () => {
  const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown }
  const patched = applyMergePatch({ a: rawJSON('9007199254740993') }, { b: rawJSON('1.0') })
  assert.equal(JSON.stringify(patched), '{"a":9007199254740993,"b":1.0}')
})

function createChance(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function anyValue(chance: (below: number) => number, depth: number): unknown {
  const kind = chance(depth === 0 ? 3 : 6)
  if (kind === 0) return null
  if (kind === 1) return chance(4)
  if (kind === 2) return 'xyz'[chance(3)]
  if (kind === 3) return Array.from({ length: chance(3) }, () => anyValue(chance, depth - 1))
  return anyObject(chance, depth)
}

function anyObject(chance: (below: number) => number, depth: number): JsonObject {
  const fields = Array.from({ length: chance(4) }, () => [
    'abcd'[chance(4)] ?? 'a',
    anyValue(chance, depth - 1),
  ])
  return Object.fromEntries(fields)
}

test('merge patch: applying twice is applying once, nothing is shared, nothing is changed', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const chance = createChance(seed)
    const document = anyObject(chance, 3)
    const patch = anyObject(chance, 3)
    const [documentBefore, patchBefore] = [cloneJson(document), cloneJson(patch)]
    const once = applyMergePatch(document, patch)
    assert.ok(jsonEqual(applyMergePatch(once, patch), once), `seed ${seed}`)
    assert.ok(jsonEqual(applyMergePatch(document, {}), document), `seed ${seed}`)
    spoil(once)
    assert.deepEqual([document, patch], [documentBefore, patchBefore], `seed ${seed}`)
  }
})

function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const each of Object.values(value)) spoil(each)
  if (Array.isArray(value)) value.push('spoiled')
  else (value as JsonObject)['spoiled'] = true
}
