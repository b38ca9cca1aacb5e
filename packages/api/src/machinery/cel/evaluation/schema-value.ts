import { goTypeName } from '../../patch/go-value.ts'
import { isJsonObject, type JsonObject, jsonEqual } from '../../patch/json-value.ts'
import { isRawNumber } from '../../patch/raw-number.ts'
import type { Schema } from '../../schema.ts'
import { isEmbedded, valuesSchema, withMetadata } from '../rules/rule-schema.ts'
import { formattedText } from '../rules/schema-text.ts'
import { escapeFieldName, unescapeFieldName } from '../syntax/field-name.ts'
import { opaque } from '../types/cel-type.ts'
import { AssociativeList, fieldsKey, setKey } from './associative-list.ts'
import { equal } from './equality.ts'
import { type CelError, fail, ListValue, MapValue, noSuchOverload, OpaqueValue, type Value } from './value.ts'

/** Converts values of a schema for rules. Compiled once per schema; parts of an object are converted when a rule reads them. */
export type Reader = (raw: unknown) => Value

const readers = new WeakMap<Schema, Reader>()
const rootReaders = new WeakMap<Schema, Reader>()

/** `isResource`: the root of an object, or of one embedded in another. */
export function readerOf(schema: Schema, isResource = isEmbedded(schema)): Reader {
  const cache = isResource ? rootReaders : readers
  let reader = cache.get(schema)
  if (!reader) {
    const made = makeReader(isResource ? withMetadata(schema) : schema)
    reader = (raw) => (raw === null || raw === undefined ? absent(schema) : made(raw))
    cache.set(schema, reader)
  }
  return reader
}

const absent = (schema: Schema): Value =>
  schema.nullable ? null : fail('invalid data, got null for schema with nullable=false')

function makeReader(schema: Schema): Reader {
  if (schema['x-kubernetes-int-or-string']) return readIntOrString
  switch (schema.type) {
    case 'object':
      return objectReader(schema)
    case 'array':
      return listReader(schema)
    case 'string':
      return (raw) =>
        typeof raw === 'string'
          ? formattedText(raw, schema.format)
          : fail(`invalid data, expected string, got ${goTypeName(raw)}`)
    case 'number':
      return (raw) => doubleOf(raw) ?? fail(`invalid data, expected float, got ${goTypeName(raw)}`)
    case 'integer':
      return (raw) => intOf(raw) ?? fail(`invalid data, expected int, got ${goTypeName(raw)}`)
    case 'boolean':
      return (raw) =>
        typeof raw === 'boolean' ? raw : fail(`invalid data, expected bool, got ${goTypeName(raw)}`)
    default:
      return (raw) => new PreservedValue(raw)
  }
}

function intOf(raw: unknown): bigint | undefined {
  if (typeof raw === 'number') return Number.isInteger(raw) ? BigInt(raw) : undefined
  if (!isRawNumber(raw) || !/^-?\d+$/.test(raw.rawJSON)) return undefined
  const value = BigInt(raw.rawJSON)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

function doubleOf(raw: unknown): number | undefined {
  if (typeof raw === 'number') return raw
  return isRawNumber(raw) ? Number(raw.rawJSON) : undefined
}

const readIntOrString: Reader = (raw) =>
  typeof raw === 'string'
    ? raw
    : (intOf(raw) ?? fail('invalid data, expected XIntOrString value to be either a string or integer'))

function objectReader(schema: Schema): Reader {
  const properties = schema.properties
  const values = valuesSchema(schema)
  const readField = (name: string): Reader | undefined => {
    if (properties) {
      const child = Object.hasOwn(properties, name) ? properties[name] : undefined
      return child && readerOf(child)
    }
    return values && readerOf(values)
  }
  const isObject = properties !== undefined
  return (raw) =>
    isJsonObject(raw)
      ? new SchemaMap(raw, isObject, readField)
      : fail('invalid data, expected a map for the provided schema with type=object')
}

function listReader(schema: Schema): Reader {
  const { items } = schema
  if (!items) return () => fail('invalid array type, expected Items with a non-empty Schema')
  const kind = schema['x-kubernetes-list-type']
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => escapeFieldName(key) ?? key)
  const keyOf = kind === 'map' ? fieldsKey(keys) : setKey
  const read = readerOf(items)
  return (raw) => {
    if (!Array.isArray(raw)) {
      return fail('invalid data, expected an array for the provided schema with type=array')
    }
    const list = new SchemaList(raw, read)
    return kind === 'set' || kind === 'map' ? new AssociativeList(list, keyOf, kind === 'map') : list
  }
}

class SchemaList extends ListValue {
  readonly #raw: readonly unknown[]
  readonly #read: Reader
  readonly #values: Value[] = []

  constructor(raw: readonly unknown[], read: Reader) {
    super()
    this.#raw = raw
    this.#read = read
  }

  get size(): number {
    return this.#raw.length
  }

  at(index: number): Value {
    const known = this.#values[index]
    if (known !== undefined) return known
    const value = this.#read(this.#raw[index])
    this.#values[index] = value
    return value
  }
}

class SchemaMap extends MapValue {
  readonly #raw: JsonObject
  /** Whether keys are names of properties, which expressions write in their own way. */
  readonly #isObject: boolean
  readonly #readerOf: (name: string) => Reader | undefined
  readonly #values = new Map<string, Value>()

  constructor(raw: JsonObject, isObject: boolean, readField: (name: string) => Reader | undefined) {
    super()
    this.#raw = raw
    this.#isObject = isObject
    this.#readerOf = readField
  }

  get size(): number {
    let size = 0
    for (const field in this.#raw) if (this.#raw[field] !== undefined) size++
    return size
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return noSuchOverload()
    const name = this.#isObject ? unescapeFieldName(key) : key
    return name === undefined ? undefined : this.#read(name)
  }

  #read(name: string): Value | undefined {
    const known = this.#values.get(name)
    if (known !== undefined) return known
    const raw = Object.hasOwn(this.#raw, name) ? this.#raw[name] : undefined
    if (raw === undefined || (raw === null && this.#isObject)) return undefined
    const value = this.#readerOf(name)?.(raw)
    if (value !== undefined) this.#values.set(name, value)
    return value
  }

  keys(): readonly Value[] {
    const keys: Value[] = []
    for (const name of Object.keys(this.#raw)) {
      if (this.#raw[name] === undefined || !this.#readerOf(name)) continue
      keys.push(this.#isObject ? (escapeFieldName(name) ?? name) : name)
    }
    return keys
  }

  override equals(other: MapValue): boolean | CelError {
    if (this.size !== other.size) return false
    for (const [name, raw] of Object.entries(this.#raw)) {
      if (raw === undefined) continue
      if (this.#readerOf(name)) {
        const left = this.#read(name)
        const right = other instanceof SchemaMap ? other.#read(name) : other.find(name)
        if ((left === undefined) !== (right === undefined)) return false
        if (left === undefined || right === undefined) continue
        const same = equal(left, right)
        if (same !== true) return same
      } else {
        if (!(other instanceof SchemaMap)) return noSuchOverload()
        // Fields that the schema does not know are compared as they are, if both objects have them.
        if (Object.hasOwn(other.#raw, name) && !jsonEqual(raw, other.#raw[name])) return false
      }
    }
    return true
  }
}

/** Converts a value without a schema: maps, lists, texts, numbers. */
export const readJson: Reader = (raw) => {
  if (raw === null || typeof raw === 'boolean' || typeof raw === 'string') return raw
  if (Array.isArray(raw)) return new SchemaList(raw, readJson)
  if (isJsonObject(raw)) return new SchemaMap(raw, false, () => readJson)
  return intOf(raw) ?? doubleOf(raw) ?? fail(`unsupported value of type ${typeof raw}`)
}

const PRESERVED = opaque('unknown')

/** A value without a schema. It can only be compared for equality. */
class PreservedValue extends OpaqueValue {
  readonly type = PRESERVED
  readonly #raw: unknown

  constructor(raw: unknown) {
    super()
    this.#raw = raw
  }

  equals(other: Value): boolean {
    return other instanceof PreservedValue && jsonEqual(this.#raw, other.#raw)
  }
}
