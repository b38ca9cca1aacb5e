import { ListValue, MapValue, OpaqueValue, OptionalValue, type Value } from '../evaluation/value.ts'
import { FormatValue } from '../library/format-value.ts'
import { UNIT_COST_TYPES } from '../library/opaque-types.ts'
import { work } from './work.ts'

/** Reading a character costs a tenth of a unit, one of a regular expression a quarter. */
const TEXT = 0.1
const PATTERN = 0.25

/** How much of a value an operation has to look at. Strings count characters, not units of UTF-16. */
function sizeOf(value: Value | undefined): number {
  if (typeof value === 'string') return stringSize(value)
  if (value instanceof ListValue || value instanceof MapValue || value instanceof OpaqueValue)
    return value.size
  if (value instanceof Uint8Array) return value.length
  if (value instanceof OptionalValue && value.value !== undefined) return sizeOf(value.value)
  return 1
}

export function stringSize(text: string): number {
  let size = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit >= 0xd800 && unit < 0xdc00) size--
  }
  return size
}

const textCost = (value: Value | undefined, factor = 1): number => Math.ceil(sizeOf(value) * factor * TEXT)

function matchCost(text: Value | undefined, patternSize: number): number {
  return Math.ceil((1 + sizeOf(text)) * TEXT) * Math.ceil(patternSize * PATTERN)
}

function traversalCost(value: Value | undefined): number {
  work()
  if (typeof value === 'string') return Math.trunc(new TextEncoder().encode(value).length * TEXT)
  if (value instanceof Uint8Array) return Math.trunc(value.length * TEXT)
  let cost = 0
  if (value instanceof ListValue) {
    for (const each of value) cost += traversalCost(each)
    return cost
  }
  if (value instanceof MapValue) {
    for (const key of value.keys()) cost += traversalCost(key) + traversalCost(value.find(key))
    return cost
  }
  return 1
}

export type Cost = (args: readonly Value[], result: Value) => number
const one: Cost = () => 1
const overFirst: Cost = ([first]) => textCost(first)
const overFirstTwice: Cost = ([first]) => textCost(first, 2)
const traversal: Cost = ([first]) => traversalCost(first)
const byPattern: Cost = ([text, pattern]) => matchCost(text, sizeOf(pattern))

const named = (cost: Cost, ...names: readonly string[]): ReadonlyArray<readonly [string, Cost]> =>
  names.map((name) => [name, cost])

/** By function name, for all overloads. */
const byFunction: ReadonlyMap<string, Cost> = new Map([
  ...named(traversal, 'isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'),
  ...named(overFirst, 'url', 'lowerAscii', 'upperAscii', 'substring', 'trim'),
  ...named(overFirst, 'cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'),
  ...named(overFirstTwice, 'replace', 'split', 'ip.isCanonical'),
  ...named((_, result) => textCost(result, 2), 'join'),
  ...named(byPattern, 'find', 'findAll'),
  ...named(one, 'masked', 'prefixLength', 'family', 'isUnspecified', 'isLoopback'),
  ...named(one, 'isLinkLocalMulticast', 'isLinkLocalUnicast', 'isGlobalUnicast', 'format.named'),
  ...named(one, 'getScheme', 'getHostname', 'getHost', 'getPort', 'getEscapedPath', 'getQuery'),
  ...named(one, 'sign', 'asInteger', 'isInteger', 'asApproximateFloat', 'isGreaterThan', 'isLessThan'),
  ...named(one, 'compareTo', 'add', 'sub', 'major', 'minor', 'patch'),
  ...named(
    ([format, text]) => (format instanceof FormatValue ? matchCost(text, format.patternSize) : 1),
    'validate',
  ),
])

const comparison: Cost = ([a, b]) => Math.ceil(Math.min(sizeOf(a), sizeOf(b)) * TEXT)
const equality: Cost = (args, result) =>
  args[0] instanceof OpaqueValue && UNIT_COST_TYPES.has(args[0].type.name) ? 1 : comparison(args, result)
const addresses = ([block]: readonly Value[]): number => Math.ceil(sizeOf(block) * 2 * TEXT)
/** A new list: one for the call, ten for the list, and what its making took. */
const allocation = (work: number): number => 11 + Math.trunc(work)
const outputSize: Cost = (_, result) => allocation(sizeOf(result))
const flattening: Cost = ([list, depth]) =>
  allocation(sizeOf(list) * (typeof depth === 'bigint' ? Number(depth) : 1))
const eachWithEach = (list: Value | undefined): number => {
  const size = sizeOf(list)
  const first = list instanceof ListValue && size > 0 ? list.at(0) : undefined
  const isText = typeof first === 'string' || first instanceof Uint8Array
  return allocation(size * size * (isText ? 2.1 : 2))
}
const sets =
  (factor: number): Cost =>
  ([a, b]) =>
    1 + sizeOf(a) * sizeOf(b) * factor

/** By overload. */
const byOverload: ReadonlyMap<string, Cost> = new Map([
  ...named((args) => textCost(args[1]), 'starts_with_string', 'ends_with_string'),
  ...named(overFirst, 'string_to_bytes', 'bytes_to_string', 'strings_quote', 'string_format', 'string_to_ip'),
  ...named((args) => sizeOf(args[1]), 'in_list'),
  ...named(comparison, 'less_string', 'greater_string', 'less_equals_string', 'greater_equals_string'),
  ...named(comparison, 'less_bytes', 'greater_bytes', 'less_equals_bytes', 'greater_equals_bytes'),
  ...named(equality, 'equals', 'not_equals'),
  ...named(([a, b]) => Math.ceil((sizeOf(a) + sizeOf(b)) * TEXT), 'add_string', 'add_bytes'),
  ...named(byPattern, 'matches', 'matches_string'),
  ...named((args) => textCost(args[0]) * textCost(args[1]), 'contains_string'),
  ...named(addresses, 'cidr_contains_ip_ip'),
  ...named((args) => addresses(args) + textCost(args[1]), 'cidr_contains_ip_string'),
  ...named((args) => addresses(args) + textCost(args[0]) + 1, 'cidr_contains_cidr'),
  ...named(
    (args) => addresses(args) + textCost(args[0]) + 1 + textCost(args[1]),
    'cidr_contains_cidr_string',
  ),
  ...named(outputSize, 'list_slice', 'lists_range', 'list_reverse'),
  ...named(flattening, 'list_flatten', 'list_flatten_int'),
  ...named(([list]) => eachWithEach(list), 'list_distinct'),
  ...named(sets(1), 'list_sets_contains_list', 'list_sets_intersects_list'),
  ...named(sets(2), 'list_sets_equivalent_list'),
])

/** How to compute the cost of a call from its result; undefined if the cost is always one. */
export function callCost(name: string, overload: string | undefined): Cost | undefined {
  if (name === 'sort') return ([list]) => eachWithEach(list)
  if (name === '@sortByAssociatedKeys') return ([, keys]) => eachWithEach(keys)
  return byFunction.get(name) ?? (overload === undefined ? undefined : byOverload.get(overload))
}
