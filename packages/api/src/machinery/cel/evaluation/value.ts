import type { CelType } from '../types/cel-type.ts'

/**
 * A value of an expression. An integer is a bigint and a double a number, so that 1 and 1.0 stay apart. An error is
 * a value like any other: `false && error` is false.
 */
export type Value =
  | boolean
  | bigint
  | number
  | string
  | null
  | Uint8Array
  | UintValue
  | ListValue
  | MapValue
  | DurationValue
  | TimestampValue
  | TypeValue
  | OptionalValue
  | OpaqueValue
  | CelError

export class CelError {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

export const isError = (value: unknown): value is CelError => value instanceof CelError
export const fail = (message: string): CelError => new CelError(message)
export const noSuchOverload = (): CelError => new CelError('no such overload')

export class UintValue {
  readonly value: bigint

  constructor(value: bigint) {
    this.value = value
  }
}

/** Nanoseconds, in 64 bits: 292 years in either direction. */
export class DurationValue {
  readonly nanos: bigint

  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

/** Nanoseconds since 1970, of the years 1 to 9999. */
export class TimestampValue {
  readonly nanos: bigint
  /** The offset of the zone that it was parsed in, east of UTC. It is printed in that zone again. */
  readonly offsetSeconds: number

  constructor(nanos: bigint, offsetSeconds = 0) {
    this.nanos = nanos
    this.offsetSeconds = offsetSeconds
  }
}

export class TypeValue {
  readonly type: CelType

  constructor(type: CelType) {
    this.type = type
  }
}

export class OptionalValue {
  static readonly none = new OptionalValue(undefined)
  readonly value: Value | undefined

  constructor(value: Value | undefined) {
    this.value = value
  }
}

/** A value of a library's own type: a quantity, an address. */
export abstract class OpaqueValue {
  abstract readonly type: CelType
  abstract equals(other: Value): boolean | CelError
  /** How much it counts in the cost of an operation. */
  get size(): number {
    return 1
  }
}

/** A list. Elements that come from an object are converted when they are asked for. */
export abstract class ListValue {
  abstract readonly size: number
  abstract at(index: number): Value
  /** Undefined if elements are compared in their order, as is usual. */
  equals?(other: ListValue): boolean | CelError
  /** The result of `+`, if it is not a plain concatenation. */
  plus?(other: ListValue): Value

  *[Symbol.iterator](): IterableIterator<Value> {
    const { size } = this
    for (let index = 0; index < size; index++) yield this.at(index)
  }
}

/** A list that an expression has made. */
export class ArrayList extends ListValue {
  readonly size: number
  readonly #elements: Value[]

  /** Takes ownership of the elements: the caller must not change them afterwards. */
  constructor(elements: Value[], size = elements.length) {
    super()
    this.#elements = elements
    this.size = size
  }

  at(index: number): Value {
    return this.#elements[index] as Value
  }

  /**
   * This list with others after its elements. The longest list that shares the elements grows in place, and shorter ones
   * do not see what is beyond them: loops build lists up, and a copy for each step would cost the square of the length.
   */
  followedBy(others: Iterable<Value>): ArrayList {
    const elements = this.size === this.#elements.length ? this.#elements : this.#elements.slice(0, this.size)
    for (const each of others) elements.push(each)
    return new ArrayList(elements)
  }
}

/** A map, and an object too: its fields are found as keys are. */
export abstract class MapValue {
  abstract readonly size: number
  /** Undefined if there is no such key; an error if no key can be like that. */
  abstract find(key: Value): Value | undefined
  abstract keys(): readonly Value[]
  equals?(other: MapValue): boolean | CelError
}

interface Entry {
  readonly key: Value
  readonly value: Value
  /** Its place in the order of entries. */
  readonly place: number
}

/** A map that an expression has made. */
export class EntryMap extends MapValue {
  readonly size: number
  readonly #entries: Map<string, Entry>

  private constructor(entries: Map<string, Entry>, size: number) {
    super()
    this.#entries = entries
    this.size = size
  }

  static readonly empty = (): EntryMap => new EntryMap(new Map(), 0)

  find(key: Value): Value | undefined {
    const text = mapKey(key)
    if (text === undefined) return noSuchOverload()
    const entry = this.#entries.get(text)
    return entry && entry.place < this.size ? entry.value : undefined
  }

  keys(): readonly Value[] {
    const keys: Value[] = []
    for (const { key } of this.#entries.values()) {
      if (keys.length === this.size) break
      keys.push(key)
    }
    return keys
  }

  /** This map with one entry more. As lists do, the largest one that shares the entries grows in place. */
  with(key: Value, value: Value): EntryMap | CelError {
    const text = mapKey(key)
    if (text === undefined) return fail(`unsupported key type: ${typeNameOf(key)}`)
    if (this.find(key) !== undefined) return fail(`insert failed: key ${displayText(key)} already exists`)
    const { size } = this
    const entries = size === this.#entries.size ? this.#entries : new Map([...this.#entries].slice(0, size))
    entries.set(text, { key, value, place: size })
    return new EntryMap(entries, size + 1)
  }
}

/** The identity of a map key: equal numbers of different types are one key. */
export function mapKey(key: Value): string | undefined {
  switch (typeof key) {
    case 'string':
      return `s${key}`
    case 'bigint':
      return `n${key}`
    case 'boolean':
      return `b${key}`
    case 'number':
      return Number.isInteger(key) ? `n${BigInt(key)}` : `d${key}`
    default:
      return key instanceof UintValue ? `n${key.value}` : undefined
  }
}

/** The name of a value's type, in messages and in what `type()` gives. */
export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    case 'number':
      return 'double'
    case 'string':
      return 'string'
    default:
  }
  if (value === null) return 'null_type'
  if (value instanceof UintValue) return 'uint'
  if (value instanceof ListValue) return 'list'
  if (value instanceof MapValue) return 'map'
  if (value instanceof Uint8Array) return 'bytes'
  if (value instanceof TimestampValue) return 'google.protobuf.Timestamp'
  if (value instanceof DurationValue) return 'google.protobuf.Duration'
  if (value instanceof TypeValue) return 'type'
  if (value instanceof OptionalValue) return 'optional_type'
  return value instanceof OpaqueValue ? value.type.name : 'error'
}

/** In messages such as `no such key: x`. */
export function displayText(value: Value): string {
  if (value instanceof UintValue) return String(value.value)
  return typeof value === 'object' && value !== null ? typeNameOf(value) : String(value)
}
