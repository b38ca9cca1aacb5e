import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../meta/status.ts'
import { objectSchema } from '../identity-version.ts'
import type { JsonObject } from '../patch/json-value.ts'
import type { Schema } from '../schema.ts'
import { type Played, play, type TestKind, type Write } from './apply-for-test.ts'
import {
  emptyModel,
  leavesOf,
  type Model,
  modelApply,
  modelConflicts,
  modelUpdate,
} from './apply-model-for-test.ts'
import { fieldSetPaths } from './field-set.ts'
import { parseFieldsV1 } from './fields-v1.ts'
import { pathElementText } from './path-element.ts'

const text: Schema = { type: 'string' }
const number: Schema = { type: 'integer' }
const set: Schema = { type: 'array', 'x-kubernetes-list-type': 'set', items: text }
const kind: TestKind = {
  schema: objectSchema({
    data: { type: 'object', additionalProperties: text },
    struct: { type: 'object', properties: { name: text, value: number } },
    atomic: { type: 'array', items: text },
    tags: set,
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: text, port: number, tags: set } },
    },
  }),
  versions: ['v1', 'v2'],
}

type Random = (below: number) => number

/** Small, and the same for the same seed. */
function randomOf(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const pick = (random: Random, of: readonly string[]): string => of[random(of.length)] ?? ''
const some = (random: Random, of: readonly string[]): string[] => of.filter(() => random(3) === 0)
const unlessEmpty = (field: string, value: object): JsonObject =>
  Object.keys(value).length === 0 ? {} : { [field]: value }

function randomObject(random: Random): JsonObject {
  const value = (): string => String(random(2))
  const data = Object.fromEntries(some(random, ['a', 'b', 'c']).map((key) => [key, value()]))
  const struct = {
    ...(random(3) === 0 ? { name: value() } : {}),
    ...(random(3) === 0 ? { value: random(2) } : {}),
  }
  const ports = some(random, ['x', 'y']).map((name) => ({
    name,
    ...(random(2) === 0 ? { port: random(2) } : {}),
    ...unlessEmpty('tags', some(random, ['s', 't'])),
  }))
  return {
    ...unlessEmpty('data', data),
    ...unlessEmpty('struct', struct),
    ...(random(4) === 0 ? { atomic: [value()] } : {}),
    ...unlessEmpty('tags', some(random, ['u', 'v', 'w'])),
    ...unlessEmpty('ports', ports),
  }
}

/** Who owns each leaf, according to managedFields. */
function ownersOf({ object, managedFields }: Played): Map<string, Set<string>> {
  const leaves = leavesOf(object)
  const owners = new Map<string, Set<string>>([...leaves.keys()].map((path) => [path, new Set()]))
  for (const { manager, operation, fieldsV1 } of managedFields) {
    for (const path of fieldSetPaths(parseFieldsV1(fieldsV1))) {
      owners.get(path.map(pathElementText).join(''))?.add(`${manager} ${operation}`)
    }
  }
  return owners
}

/** What comes out, or the paths of the conflicts. */
function attempt(before: Played | undefined, write: Write): Played | readonly string[] {
  try {
    return play(kind, [write], before)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 409) throw error
    return [...new Set((error.status.details?.causes ?? []).map(({ field = '' }) => field))]
  }
}

const managers = ['one', 'two', 'three']
const worlds = 50 * Math.max(1, Number(process.env['STRATA_TEST_SCALE'] ?? 1))

/** One write in the model and in the code; both must come to the same. */
function step(
  random: Random,
  versions: readonly string[],
  model: Model,
  before: Played | undefined,
): { model: Model; played: Played } {
  const by = pick(random, managers)
  const object = randomObject(random)
  const leaves = leavesOf(object)
  // An object without owners is not tracked until the first apply.
  if (before && before.managedFields.length > 0 && random(4) === 0) {
    const played = play(kind, [{ by, update: object, apiVersion: pick(random, versions) }], before)
    return { model: modelUpdate(model, `${by} Update`, leaves), played }
  }
  const write: Write = { by, apply: object, apiVersion: pick(random, versions) }
  const owner = `${by} Apply`
  const conflicts = modelConflicts(model, owner, leaves)
  const applied = attempt(before, write)
  // Who made a map owns it although nothing is left in it. The model knows only of leaves.
  const found = 'object' in applied ? [] : applied.filter((path) => leaves.has(path))
  assert.deepEqual(found.toSorted(), conflicts.toSorted())
  const played = 'object' in applied ? applied : attempt(before, { ...write, force: true })
  assert.ok('object' in played, 'force leaves no conflicts')
  assert.deepEqual(attempt(played, write), played, 'what is applied again changes nothing')
  return { model: modelApply(model, owner, leaves), played }
}

function playWorlds(versions: readonly string[], check: (played: Played, model: Model) => void): void {
  for (let seed = 1; seed <= worlds; seed++) {
    const random = randomOf(seed)
    let model = emptyModel
    let played: Played | undefined
    for (let writes = 0; writes < 25; writes++) {
      try {
        ;({ model, played } = step(random, versions, model, played))
        check(played, model)
        const owners = ownersOf(played)
        for (const [path, all] of owners) assert.ok(all.size > 0, `${path} has an owner`)
        // Where versions are mixed, upstream gives up more than it has to; go on from what stands.
        model = { leaves: leavesOf(played.object), owners }
      } catch (error) {
        throw new Error(`seed ${seed}, write ${writes}`, { cause: error })
      }
    }
  }
}

test('apply: random writers, and what a simpler mind makes of them', () => {
  playWorlds(['v1'], (played, model) => {
    assert.deepEqual(leavesOf(played.object), new Map(model.leaves))
    assert.deepEqual(ownersOf(played), new Map(model.owners))
  })
})

test('apply: random writers in two versions lose nothing that they apply', () => {
  playWorlds(['v1', 'v2'], (played, model) => {
    const leaves = leavesOf(played.object)
    for (const [path, value] of leaves) assert.equal(model.leaves.get(path), value, path)
    for (const [path, owners] of model.owners) {
      // A manager that applies an item owns it, so an item stays while one applies it.
      const isApplied = [...owners].some((owner) => owner.endsWith(' Apply'))
      assert.ok(!isApplied || leaves.has(path), path)
    }
  })
})
