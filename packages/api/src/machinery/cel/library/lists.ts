import { work } from '../cost/work.ts'
import { compare, equal, listContains } from '../evaluation/equality.ts'
import {
  ArrayList,
  type CelError,
  DurationValue,
  fail,
  isError,
  ListValue,
  noSuchOverload,
  typeNameOf,
  UintValue,
  type Value,
} from '../evaluation/value.ts'
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  STRING,
  TIMESTAMP,
  typeParameter,
  UINT,
} from '../types/cel-type.ts'
import { declare, type FunctionDeclaration, globalForm, method } from '../types/declaration.ts'
import { checkedDuration } from './time-range.ts'

const A = typeParameter('A')
const LIST = listOf(A)

const comparable: ReadonlyArray<readonly [name: string, type: CelType]> = [
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['bool', BOOL],
  ['duration', DURATION],
  ['timestamp', TIMESTAMP],
  ['string', STRING],
  ['bytes', BYTES],
]

function isSorted(list: ListValue): Value {
  for (let index = 1; index < list.size; index++) {
    const order = compare(list.at(index - 1), list.at(index))
    if (isError(order)) return order
    if (order > 0) return false
  }
  return true
}

/** The greatest for 1, the least for -1. */
const extreme =
  (name: string, direction: 1 | -1) =>
  (list: ListValue): Value => {
    if (list.size === 0) return fail(`${name} called on empty list`)
    let found = list.at(0)
    for (const each of list) {
      if (isError(each)) return each
      const order = compare(each, found)
      if (isError(order)) return order
      if (order * direction > 0) found = each
    }
    return found
  }

type Sum = (total: Value, each: Value) => Value

const sums: ReadonlyArray<readonly [name: string, type: CelType, zero: Value, add: Sum]> = [
  [
    'int',
    INT,
    0n,
    (total, each) => {
      const sum = (total as bigint) + (each as bigint)
      return BigInt.asIntN(64, sum) === sum ? sum : fail('integer overflow')
    },
  ],
  [
    'uint',
    UINT,
    new UintValue(0n),
    (total, each) => {
      const sum = (total as UintValue).value + (each as UintValue).value
      return BigInt.asUintN(64, sum) === sum ? new UintValue(sum) : fail('unsigned integer overflow')
    },
  ],
  ['double', DOUBLE, 0, (total, each) => (total as number) + (each as number)],
  [
    'duration',
    DURATION,
    new DurationValue(0n),
    (total, each) => checkedDuration((total as DurationValue).nanos + (each as DurationValue).nanos),
  ],
]

const sumOf =
  (zero: Value, add: Sum) =>
  (list: ListValue): Value => {
    let total = zero
    for (const each of list) {
      if (isError(each)) return each
      if (typeNameOf(each) !== typeNameOf(zero)) return noSuchOverload()
      total = add(total, each)
      if (isError(total)) return total
    }
    return total
  }

function indexOf(list: ListValue, value: Value): Value {
  for (let index = 0; index < list.size; index++) {
    if (equal(list.at(index), value) === true) return BigInt(index)
  }
  return -1n
}

function lastIndexOf(list: ListValue, value: Value): Value {
  for (let index = list.size - 1; index >= 0; index--) {
    if (equal(list.at(index), value) === true) return BigInt(index)
  }
  return -1n
}

function slice(list: ListValue, start: bigint, end: bigint): Value {
  const wrong = `cannot slice(${start}, ${end})`
  if (start < 0n || end < 0n) return fail(`${wrong}, negative indexes not supported`)
  if (start > end) return fail(`${wrong}, start index must be less than or equal to end index`)
  if (end > list.size) return fail(`${wrong}, list is length ${list.size}`)
  const found: Value[] = []
  for (let index = Number(start); index < Number(end); index++) found.push(list.at(index))
  return new ArrayList(found)
}

function flatten(list: ListValue, depth: bigint): Value {
  if (depth < 0n) return fail('level must be non-negative')
  const found: Value[] = []
  const visit = (from: ListValue, left: bigint): void => {
    for (const each of from) {
      work()
      if (each instanceof ListValue && left > 0n) visit(each, left - 1n)
      else found.push(each)
    }
  }
  visit(list, depth)
  return new ArrayList(found)
}

function sortBy(list: ListValue, keys: ListValue): Value {
  if (list.size !== keys.size) {
    return fail(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.size} and ${keys.size} elements respectively`,
    )
  }
  if (list.size === 0) return list
  const kind = typeNameOf(keys.at(0))
  const pairs = [...keys].map((key, index) => ({ key, value: list.at(index) }))
  if (pairs.some(({ key }) => typeNameOf(key) !== kind)) return fail('list elements must have the same type')
  let problem: CelError | undefined
  pairs.sort((a, b) => {
    const order = compare(a.key, b.key)
    if (isError(order)) problem ??= order
    return isError(order) ? 0 : order
  })
  return problem ?? new ArrayList(pairs.map(({ value }) => value))
}

function distinct(list: ListValue): Value {
  const found = new ArrayList([])
  let result = found
  for (const each of list) {
    if (listContains(result, each) !== true) result = result.followedBy([each])
  }
  return result
}

const maxRange = 1_000_000n

function range(size: bigint): Value {
  if (size < 0n) return fail(`lists.range: size must be non-negative, got ${size}`)
  if (size > maxRange) return fail(`lists.range: size ${size} exceeds maximum allowed (${maxRange})`)
  return new ArrayList(Array.from({ length: Number(size) }, (_, index) => BigInt(index)))
}

/** Whether all of the second are in the first. */
function containsAll(list: ListValue, part: ListValue): boolean | CelError {
  for (const each of part) {
    const found = listContains(list, each)
    if (found !== true) return found
  }
  return true
}

function areEquivalent(a: ListValue, b: ListValue): Value {
  const forth = containsAll(a, b)
  return forth === true ? containsAll(b, a) : forth
}

const intersect = (a: ListValue, b: ListValue): Value => {
  for (const each of a) if (listContains(b, each) === true) return true
  return false
}

export const lists: readonly FunctionDeclaration[] = [
  declare(
    'isSorted',
    ...comparable.map(([name, type]) =>
      method(`list_${name}_is_sorted_bool`, [listOf(type)], BOOL, isSorted),
    ),
  ),
  declare(
    'sum',
    ...sums.map(([name, type, zero, add]) =>
      method(`list_${name}_sum_${name}`, [listOf(type)], type, sumOf(zero, add)),
    ),
  ),
  declare(
    'max',
    ...comparable.map(([name, type]) =>
      method(`list_${name}_max_${name}`, [listOf(type)], type, extreme('max', 1)),
    ),
  ),
  declare(
    'min',
    ...comparable.map(([name, type]) =>
      method(`list_${name}_min_${name}`, [listOf(type)], type, extreme('min', -1)),
    ),
  ),
  declare('indexOf', method('list_a_index_of_int', [LIST, A], INT, indexOf)),
  declare('lastIndexOf', method('list_a_last_index_of_int', [LIST, A], INT, lastIndexOf)),
  declare('slice', method('list_slice', [LIST, INT, INT], LIST, slice)),
  declare(
    'flatten',
    method('list_flatten', [listOf(LIST)], LIST, (list: ListValue) => flatten(list, 1n)),
    method('list_flatten_int', [listOf(DYN), INT], listOf(DYN), flatten),
  ),
  declare(
    'sort',
    ...comparable.map(([, type]) =>
      method(`list_${type.name}_sort`, [listOf(type)], listOf(type), (list: ListValue) => sortBy(list, list)),
    ),
  ),
  declare(
    '@sortByAssociatedKeys',
    ...comparable.map(([, type]) =>
      method(`list_${type.name}_sortByAssociatedKeys`, [LIST, listOf(type)], LIST, sortBy),
    ),
  ),
  declare('lists.range', globalForm('lists_range', [INT], listOf(INT), range)),
  declare(
    'reverse',
    method('list_reverse', [LIST], LIST, (list: ListValue) => new ArrayList([...list].reverse())),
  ),
  declare('distinct', method('list_distinct', [LIST], LIST, distinct)),
  declare('sets.contains', globalForm('list_sets_contains_list', [LIST, LIST], BOOL, containsAll)),
  declare('sets.equivalent', globalForm('list_sets_equivalent_list', [LIST, LIST], BOOL, areEquivalent)),
  declare('sets.intersects', globalForm('list_sets_intersects_list', [LIST, LIST], BOOL, intersect)),
]
