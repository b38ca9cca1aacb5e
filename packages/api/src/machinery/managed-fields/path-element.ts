import { isJsonObject, type JsonObject } from '../patch/json-value.ts'
import { isRawNumber, plainNumber } from '../patch/raw-number.ts'

/**
 * One step of a path, in the form it has in FieldsV1: `f:name` a field, `k:{"name":"a"}` the element of a list
 * with these keys, `v:"a"` the element of a set with this value, `i:0` the element at this place. Always in
 * canonical form, so that two steps are the same exactly when their texts are.
 */
export type PathElement = string

export const fieldElement = (name: string): PathElement => `f:${name}`
export const valueElement = (value: unknown): PathElement => `v:${canonicalText(value)}`
export const keyElement = (keys: JsonObject): PathElement => `k:${canonicalText(keys)}`

/** How upstream shows a step to people: `.name`, `[name="a"]`, `[="a"]`, `[0]`. */
export function pathElementText(element: PathElement): string {
  const content = element.slice(2)
  switch (element[0]) {
    case 'f':
      return `.${content}`
    case 'k': {
      const keys = Object.entries(JSON.parse(content) as JsonObject)
      return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`
    }
    case 'v':
      return `[=${JSON.stringify(JSON.parse(content))}]`
    default:
      return `[${content}]`
  }
}

/** FieldsV1 that cannot be parsed. */
export class FieldsV1Malformed extends Error {
  override readonly name = 'FieldsV1Malformed'
}

/** `undefined` for a kind of step that only a later release knows: those are left out. */
export function parsePathElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new FieldsV1Malformed(`key must be 2 characters long: ${text}`)
  if (text[1] !== ':') throw new FieldsV1Malformed(`missing colon: ${text}`)
  const content = text.slice(2)
  switch (text[0]) {
    case 'f':
      return text
    case 'v':
      // Kept as it is: the digits of a large integer would not survive being parsed.
      if (/^-?(?:0|[1-9]\d*)$/.test(content)) return text
      return valueElement(parseJson(content))
    case 'k': {
      const keys = parseJson(content)
      if (!isJsonObject(keys)) throw new FieldsV1Malformed(`not an object: ${text}`)
      return keyElement(keys)
    }
    case 'i':
      if (!/^[+-]?\d+$/.test(content)) throw new FieldsV1Malformed(`not a number: ${text}`)
      return `i:${Number(content)}`
    default:
      return undefined
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new FieldsV1Malformed(`not JSON: ${text}`)
  }
}

const unsafeInHtml = /[<>&\u2028\u2029]/g

/** Fields in order, and five characters escaped as upstream's encoder does: clients compare these texts. */
export function canonicalText(value: unknown): string {
  const text = JSON.stringify(inOrder(value))
  return text.replace(unsafeInHtml, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (isRawNumber(value)) return plainNumber(value)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort(compareTexts)
      .map((key) => [key, inOrder(value[key])]),
  )
}

/** Upstream compares bytes of UTF-8; comparing UTF-16 would put what lies beyond U+FFFF too early. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return byCodePoint(left) - byCodePoint(right)
  }
  return a.length - b.length
}

function byCodePoint(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800
  return unit >= 0xd800 ? unit + 0x2000 : unit
}

const kinds = 'fkvi'

/** Fields, then keys, then values, then places; each kind in its own order. Sorts a copy. */
export function sortPathElements(elements: Iterable<PathElement>): PathElement[] {
  const parsed = Array.from(elements, (element) => ({
    element,
    kind: kinds.indexOf(element[0] ?? ''),
    content: element.startsWith('f:') ? element.slice(2) : (JSON.parse(element.slice(2)) as unknown),
  }))
  parsed.sort((a, b) => a.kind - b.kind || compareValues(a.content, b.content))
  return parsed.map(({ element }) => element)
}

const typeOrder = ['number', 'string', 'boolean', 'array', 'object', 'null']

function typeRank(value: unknown): number {
  if (value === null) return 5
  return Array.isArray(value) ? 3 : typeOrder.indexOf(typeof value)
}

/** A total order of all values: numbers, texts, truth values, lists, objects, null. */
function compareValues(a: unknown, b: unknown): number {
  const rank = typeRank(a) - typeRank(b)
  if (rank !== 0) return rank
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b)
  if (Array.isArray(a) && Array.isArray(b)) return compareSequences(a, b)
  if (isJsonObject(a) && isJsonObject(b)) return compareSequences(flat(a), flat(b))
  return Number(a) - Number(b)
}

/** Canonical, hence already in the order of its fields. */
const flat = (value: JsonObject): unknown[] => Object.keys(value).flatMap((key) => [key, value[key]])

function compareSequences(a: readonly unknown[], b: readonly unknown[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareValues(a[i], b[i])
    if (order !== 0) return order
  }
  return a.length - b.length
}
