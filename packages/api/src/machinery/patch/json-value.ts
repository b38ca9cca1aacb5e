import { isRawNumber, numbersEqual, type RawNumber } from './raw-number.ts'

export type JsonObject = Record<string, unknown>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)
}

/** The field itself, never what every object inherits: `constructor` is a field like any other here. */
export function fieldOf(object: JsonObject, field: string): unknown {
  return Object.hasOwn(object, field) ? object[field] : undefined
}

/** Plain assignment to `__proto__` would change the object's prototype instead of setting a field. */
export function setField(object: JsonObject, field: string, value: unknown): void {
  if (field === '__proto__') {
    Object.defineProperty(object, field, { value, enumerable: true, configurable: true, writable: true })
  } else object[field] = value
}

/** Numbers are compared as numbers, objects without regard to the order of their fields. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (isNumber(a) && isNumber(b)) return numbersEqual(a, b)
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((each, index) => jsonEqual(each, b[index]))
  }
  return isJsonObject(a) && isJsonObject(b) && fieldsEqual(a, b)
}

const isNumber = (value: unknown): value is number | RawNumber =>
  typeof value === 'number' || isRawNumber(value)

/** A field that is set to `undefined` counts as absent: that is what becomes of it on the wire. */
function fieldsEqual(a: JsonObject, b: JsonObject): boolean {
  for (const field of Object.keys(a)) {
    if (!jsonEqual(a[field], fieldOf(b, field))) return false
  }
  for (const field of Object.keys(b)) {
    if (b[field] !== undefined && !Object.hasOwn(a, field)) return false
  }
  return true
}

/** A deep copy. The caller may change it in place. */
export function cloneJson<T>(value: T): T
export function cloneJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => cloneJson(each))
  if (!isJsonObject(value)) return value
  const copy: JsonObject = {}
  for (const field of Object.keys(value)) setField(copy, field, cloneJson(value[field]))
  return copy
}

/** How upstream's decoder names what it found, for messages that clients compare. */
export function jsonTypeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (isRawNumber(value)) return 'number'
  return typeof value === 'boolean' ? 'bool' : typeof value
}
