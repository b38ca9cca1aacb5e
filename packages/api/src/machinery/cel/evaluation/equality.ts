import { work } from '../cost/work.ts'
import { sameType } from '../types/cel-type.ts'
import {
  type CelError,
  DurationValue,
  fail,
  isError,
  ListValue,
  MapValue,
  noSuchOverload,
  OpaqueValue,
  OptionalValue,
  TimestampValue,
  TypeValue,
  UintValue,
  type Value,
} from './value.ts'

/** Values of different types are different, except numbers. An error inside makes the answer an error. */
export function equal(a: Value, b: Value): boolean | CelError {
  work()
  if (a === b) return !(typeof a === 'number' && Number.isNaN(a))
  if (a === null || b === null) return false
  if (isError(a)) return a
  if (isError(b)) return b
  if (isNumeric(a)) return isNumeric(b) && compareNumbers(a, b) === 0
  if (typeof a !== 'object') return false
  if (a instanceof ListValue) return b instanceof ListValue && listsEqual(a, b)
  if (a instanceof MapValue) return b instanceof MapValue && mapsEqual(a, b)
  if (a instanceof OpaqueValue) return a.equals(b)
  if (b instanceof OpaqueValue) return b.equals(a)
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0
  if (a instanceof TimestampValue) return b instanceof TimestampValue && a.nanos === b.nanos
  if (a instanceof DurationValue) return b instanceof DurationValue && a.nanos === b.nanos
  if (a instanceof TypeValue) return b instanceof TypeValue && sameType(a.type, b.type)
  if (a instanceof OptionalValue) return b instanceof OptionalValue && optionalsEqual(a, b)
  return false
}

function optionalsEqual(a: OptionalValue, b: OptionalValue): boolean | CelError {
  if (a.value === undefined || b.value === undefined) return a.value === b.value
  return equal(a.value, b.value)
}

function listsEqual(a: ListValue, b: ListValue): boolean | CelError {
  if (a.equals) return a.equals(b)
  if (a.size !== b.size) return false
  for (let index = 0; index < a.size; index++) {
    const same = equal(a.at(index), b.at(index))
    if (same !== true) return same
  }
  return true
}

function mapsEqual(a: MapValue, b: MapValue): boolean | CelError {
  if (a.equals) return a.equals(b)
  if (a.size !== b.size) return false
  for (const key of a.keys()) {
    const left = a.find(key)
    const right = b.find(key)
    if (left === undefined || right === undefined) return false
    const same = equal(left, right)
    if (same !== true) return same
  }
  return true
}

/** Whether a list has an element equal to the value; an error only if no other one is. */
export function listContains(list: ListValue, value: Value): boolean | CelError {
  let problem: CelError | undefined
  const { size } = list
  for (let index = 0; index < size; index++) {
    const same = equal(list.at(index), value)
    if (same === true) return true
    if (isError(same)) problem ??= same
  }
  return problem ?? false
}

type Numeric = bigint | number | UintValue
const isNumeric = (value: Value): value is Numeric =>
  typeof value === 'bigint' || typeof value === 'number' || value instanceof UintValue

/** Less than, equal to or greater than 0; NaN is like nothing, itself included. */
function compareNumbers(a: Numeric, b: Numeric): number {
  const left = a instanceof UintValue ? a.value : a
  const right = b instanceof UintValue ? b.value : b
  // JavaScript compares integers and floating point numbers by what they are, without rounding either.
  if (left < right) return -1
  if (left > right) return 1
  return left <= right ? 0 : Number.NaN
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** Strings in the order of their characters: JavaScript's own order has those beyond 16 bits before some others. */
function compareStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index)
    const right = b.charCodeAt(index)
    if (left !== right) return surrogatesLast(left) - surrogatesLast(right)
  }
  return a.length - b.length
}

const surrogatesLast = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit)

/** Less than, equal to or greater than 0, for values of one type that has an order. */
export function compare(a: Value, b: Value): number | CelError {
  if (isNumeric(a) && isNumeric(b)) {
    const order = compareNumbers(a, b)
    return Number.isNaN(order) ? fail('NaN values cannot be ordered') : order
  }
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b)
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b)
  if (
    (a instanceof TimestampValue && b instanceof TimestampValue) ||
    (a instanceof DurationValue && b instanceof DurationValue)
  ) {
    return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0
  }
  if (isError(a)) return a
  return isError(b) ? b : noSuchOverload()
}
