import {
  applyStrategicMergePatch,
  isJsonObject,
  type JsonObject,
  jsonEqual,
  objectMetaSchema,
  PatchError,
  type Schema,
} from '@strata/api'
import { chance, pick, type Random } from '@strata/world'
import { fieldsOf, jsonValue, mutateJson } from '../generate/json.ts'
import { listOf, shortName } from '../generate/text.ts'
import { expect, pureTarget, shown } from '../target.ts'

const text: Schema = { type: 'string' }
const item: Schema = { type: 'object', properties: { name: text, value: text } }
const merged = { 'x-kubernetes-patch-strategy': 'merge', 'x-kubernetes-patch-merge-key': 'name' } as const

/** A field for each strategy. */
const schema: Schema = {
  type: 'object',
  properties: {
    metadata: objectMetaSchema,
    name: text,
    data: { type: 'object', additionalProperties: text },
    struct: item,
    atomic: { type: 'array', items: text },
    set: { type: 'array', items: text, 'x-kubernetes-patch-strategy': 'merge' },
    list: { type: 'array', items: item, ...merged },
  },
}

/** Each name once, as in every object that is valid. */
const items = (random: Random): unknown[] =>
  [...new Set(listOf(random, 3, shortName))].map((name) => ({
    name,
    ...(chance(random, 0.5) ? { value: shortName(random) } : {}),
  }))
const texts = (random: Random): string[] => [...new Set(listOf(random, 3, shortName))]

function document(random: Random): JsonObject {
  const fields: readonly (readonly [string, unknown])[] = [
    ['name', shortName(random)],
    ['data', fieldsOf(listOf(random, 3, (each) => [shortName(each), shortName(each)]))],
    ['struct', { name: shortName(random) }],
    ['atomic', texts(random)],
    ['set', texts(random)],
    ['list', items(random)],
  ]
  return fieldsOf(fields.filter(() => chance(random, 0.6)))
}

const directives: readonly [JsonObject, ...JsonObject[]] = [
  { $patch: 'delete' },
  { $patch: 'replace', name: 'a' },
  { $retainKeys: ['name'], name: 'a' },
  { '$setElementOrder/list': [{ name: 'a' }], list: [{ name: 'a' }] },
  { '$deleteFromPrimitiveList/set': ['a'] },
  { list: [{ $patch: 'delete', name: 'a' }] },
  { list: [{ $patch: 'replace' }, { name: 'b' }] },
]

const hasDirectives = (value: unknown): boolean => JSON.stringify(value)?.includes('"$') ?? false

/** The meaning of a patch without directives: maps merge, lists with a strategy join, all else is replaced. */
function simpleStrategic(original: unknown, patch: unknown, field = ''): unknown {
  if (patch === null) return undefined
  if (Array.isArray(patch)) return simpleList(Array.isArray(original) ? original : [], patch, field)
  if (!isJsonObject(patch)) return patch
  const fields = new Map(isJsonObject(original) ? Object.entries(original) : [])
  for (const [name, value] of Object.entries(patch)) {
    const next = simpleStrategic(fields.get(name), value, name)
    if (next === undefined) fields.delete(name)
    else fields.set(name, next)
  }
  return Object.fromEntries(fields)
}

function simpleList(original: readonly unknown[], patch: readonly unknown[], field: string): unknown {
  if (field === 'set') return [...new Set([...original, ...patch])].toSorted()
  if (field !== 'list') return patch
  const byName = new Map([...original, ...patch].map((each) => [(each as JsonObject)['name'], {} as unknown]))
  for (const each of [...original, ...patch]) {
    const { name } = each as JsonObject
    byName.set(name, simpleStrategic(byName.get(name), each))
  }
  return [...byName.values()]
}

/** The order of joined lists is a matter of its own: compared is what is in them. */
function unordered(object: unknown): unknown {
  if (!isJsonObject(object)) return object
  const byText = (list: unknown): unknown =>
    Array.isArray(list)
      ? list.map((each) => JSON.stringify(each, Object.keys(each ?? {}).sort())).toSorted()
      : list
  return { ...object, set: byText(object['set']) ?? null, list: byText(object['list']) ?? null }
}

export const strategicPatch = pureTarget<{ readonly document: JsonObject; readonly patch: unknown }>({
  name: 'strategic-patch',
  about: 'strategic merge patches, compared with a second implementation where they have no directives',
  share: 10,
  open: () => ({
    generate: (random) => {
      const patch = document(random)
      const draw = random.fraction()
      if (draw < 0.5) return { document: document(random), patch }
      if (draw < 0.7) return { document: document(random), patch: { ...patch, ...pick(random, directives) } }
      return { document: document(random), patch: mutateJson(random, patch, () => jsonValue(random, 2)) }
    },
    check: ({ document: original, patch }) => {
      if (!isJsonObject(original)) return 'refused'
      const before = JSON.stringify([original, patch])
      try {
        const found = applyStrategicMergePatch(original, patch, schema, 'Thing')
        expect(JSON.stringify([original, patch]) === before, () => 'the patch changed its arguments')
        if (!isWellFormed(patch) || !isWellFormed(original)) return 'accepted'
        const wanted = simpleStrategic(original, patch)
        expect(
          jsonEqual(unordered(found), unordered(wanted)),
          () => `gives ${shown(found)} instead of ${shown(wanted)}`,
        )
        const twice = applyStrategicMergePatch(found, patch, schema, 'Thing')
        expect(
          jsonEqual(twice, found),
          () => `a second time gives ${shown(twice)} instead of ${shown(found)}`,
        )
        return 'accepted'
      } catch (error) {
        if (!(error instanceof PatchError)) throw error
        expect(!isWellFormed(patch) || !isWellFormed(original), () => `refused: ${error.message}`)
        return 'refused'
      }
    },
  }),
})

/** The value fits the schema and has no directives: then the meaning is simple. */
function isWellFormed(value: unknown): boolean {
  if (!isJsonObject(value) || hasDirectives(value)) return false
  const isText = (each: unknown): boolean => typeof each === 'string'
  const isNamed = (each: unknown): boolean =>
    isJsonObject(each) &&
    isText(each['name']) &&
    Object.entries(each).every(([field, part]) => ['name', 'value'].includes(field) && isText(part))
  const isListOf = (each: unknown, is: (part: unknown) => boolean): boolean =>
    Array.isArray(each) &&
    each.every(is) &&
    new Set(each.map((part) => (isJsonObject(part) ? part['name'] : part))).size === each.length
  const fits: Readonly<Record<string, (each: unknown) => boolean>> = {
    name: isText,
    data: (each) => isJsonObject(each) && Object.values(each).every(isText),
    struct: (each) => isJsonObject(each) && Object.values(each).every(isText),
    atomic: (each) => isListOf(each, isText),
    set: (each) => isListOf(each, isText),
    list: (each) => isListOf(each, isNamed),
  }
  return Object.entries(value).every(
    ([field, each]) => Object.hasOwn(fits, field) && fits[field]?.(each) === true,
  )
}
