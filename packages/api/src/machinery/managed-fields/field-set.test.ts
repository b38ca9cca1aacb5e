import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  emptyFieldSet,
  type FieldPath,
  type FieldSet,
  fieldSetDifference,
  fieldSetHas,
  fieldSetOf,
  fieldSetOutside,
  fieldSetPaths,
  fieldSetsEqual,
  intersectFieldSets,
  isFieldSetEmpty,
  unionFieldSets,
} from './field-set.ts'
import { fieldsV1Of, parseFieldsV1 } from './fields-v1.ts'

function createChance(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const elements = ['f:a', 'f:b', 'k:{"name":"x"}', 'v:"y"', 'i:0']

function anyPath(chance: (below: number) => number): FieldPath {
  return Array.from({ length: 1 + chance(3) }, () => elements[chance(elements.length)] ?? 'f:a')
}

function anySet(chance: (below: number) => number): FieldSet {
  return fieldSetOf(...Array.from({ length: chance(6) }, () => anyPath(chance)))
}

const pathTexts = (set: FieldSet): Set<string> =>
  new Set(Array.from(fieldSetPaths(set), (path) => path.join('/')))

/** Every node but the root is a path or leads to one; else equality and emptiness would be wrong. */
function assertWellFormed(set: FieldSet): void {
  for (const child of set.children.values()) {
    assert.ok(!isFieldSetEmpty(child))
    assertWellFormed(child)
  }
}

test('field sets behave like sets of paths', () => {
  for (let seed = 1; seed <= 1000; seed++) {
    const chance = createChance(seed)
    const [a, b] = [anySet(chance), anySet(chance)]
    const [inA, inB] = [pathTexts(a), pathTexts(b)]
    const results: ReadonlyArray<[FieldSet, Set<string>]> = [
      [unionFieldSets(a, b), inA.union(inB)],
      [intersectFieldSets(a, b), inA.intersection(inB)],
      [fieldSetDifference(a, b), inA.difference(inB)],
    ]
    for (const [set, want] of results) {
      assertWellFormed(set)
      assert.deepEqual(pathTexts(set), want, `seed ${seed}`)
    }
    assert.equal(isFieldSetEmpty(a), inA.size === 0)
    assert.equal(fieldSetsEqual(a, b), inA.symmetricDifference(inB).size === 0)
    for (const path of fieldSetPaths(a)) assert.equal(fieldSetHas(b, path), inB.has(path.join('/')))
  }
})

test('field sets: what lies outside is neither in the other set nor below it', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const chance = createChance(seed)
    const [a, b] = [anySet(chance), anySet(chance)]
    const prefixes = Array.from(pathTexts(b))
    const want = Array.from(pathTexts(a)).filter(
      (path) => !prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)),
    )
    const outside = fieldSetOutside(a, b)
    assertWellFormed(outside)
    assert.deepEqual(pathTexts(outside), new Set(want), `seed ${seed}`)
  }
})

test('field sets: an operation that changes nothing returns the set itself', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const chance = createChance(seed)
    const [a, b] = [anySet(chance), anySet(chance)]
    const both = unionFieldSets(a, b)
    assert.equal(unionFieldSets(both, b), both)
    assert.equal(fieldSetDifference(a, fieldSetDifference(b, a)), a)
    assert.equal(unionFieldSets(a, emptyFieldSet), a)
  }
})

test('FieldsV1: what is written reads back as the same set', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const set = anySet(createChance(seed))
    const fields = JSON.parse(JSON.stringify(fieldsV1Of(set)))
    assert.ok(fieldSetsEqual(parseFieldsV1(fields), set), `seed ${seed}`)
    assert.equal(JSON.stringify(fieldsV1Of(parseFieldsV1(fields))), JSON.stringify(fields))
  }
})
