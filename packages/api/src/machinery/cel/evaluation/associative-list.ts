import { equal } from './equality.ts'
import {
  type CelError,
  DurationValue,
  fail,
  isError,
  ListValue,
  MapValue,
  mapKey,
  TimestampValue,
  type Value,
} from './value.ts'

type KeyOf = (element: Value) => string | CelError

/** The identity of an element of a set. */
export const setKey: KeyOf = (element) => {
  if (isError(element)) return element
  if (element instanceof ListValue || element instanceof MapValue) {
    return fail('listSet operations are only supported on lists of scalar values')
  }
  if (element === null) return 'null'
  if (element instanceof Uint8Array) return `x${element.join(',')}`
  if (element instanceof TimestampValue) return `t${element.nanos}`
  if (element instanceof DurationValue) return `u${element.nanos}`
  return mapKey(element) ?? 'other'
}

/** The identity of an item in a list with keys: the values of the key fields. */
export const fieldsKey =
  (fields: readonly string[]): KeyOf =>
  (element) => {
    if (isError(element)) return element
    if (!(element instanceof MapValue)) {
      return fail('unexpected data format for element of array with x-kubernetes-list-type=map')
    }
    const keys = fields.map((field) => {
      const value = element.find(field)
      return value === undefined || isError(value) ? '' : String(setKey(value))
    })
    return JSON.stringify(keys)
  }

/** A list whose order means nothing: sets, and lists whose elements have keys. */
export class AssociativeList extends ListValue {
  readonly #list: ListValue
  readonly #keyOf: KeyOf
  /** Whether `+` puts an element in the place of the one with its key. Those of sets are the same anyway. */
  readonly #overwrites: boolean

  constructor(list: ListValue, keyOf: KeyOf, overwrites: boolean) {
    super()
    this.#list = list
    this.#keyOf = keyOf
    this.#overwrites = overwrites
  }

  get size(): number {
    return this.#list.size
  }

  at(index: number): Value {
    return this.#list.at(index)
  }

  override equals(other: ListValue): boolean | CelError {
    if (this.size !== other.size) return false
    const mine = new Map<string, Value>()
    for (const each of this) {
      const key = this.#keyOf(each)
      if (isError(key)) return key
      mine.set(key, each)
    }
    const seen = new Set<string>()
    for (const each of other) {
      const key = this.#keyOf(each)
      if (isError(key)) return key
      const found = mine.get(key)
      if (found === undefined) return false
      const same = equal(found, each)
      if (same !== true) return same
      seen.add(key)
    }
    return seen.size === mine.size
  }

  override plus(other: ListValue): Value {
    const places = new Map<string, number>()
    const elements: Value[] = []
    for (const [list, isOther] of [
      [this, false],
      [other, true],
    ] as const) {
      for (const each of list) {
        const key = this.#keyOf(each)
        if (isError(key)) return key
        const place = places.get(key)
        if (place === undefined || !isOther) {
          places.set(key, elements.length)
          elements.push(each)
        } else if (this.#overwrites) elements[place] = each
      }
    }
    return new AssociativeList(new PlainList(elements), this.#keyOf, this.#overwrites)
  }
}

class PlainList extends ListValue {
  readonly #elements: readonly Value[]

  constructor(elements: readonly Value[]) {
    super()
    this.#elements = elements
  }

  get size(): number {
    return this.#elements.length
  }

  at(index: number): Value {
    return this.#elements[index] as Value
  }
}
