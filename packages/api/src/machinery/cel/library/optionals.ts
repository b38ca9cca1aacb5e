import {
  ArrayList,
  DurationValue,
  fail,
  ListValue,
  MapValue,
  noSuchOverload,
  OptionalValue,
  TimestampValue,
  UintValue,
  type Value,
} from '../evaluation/value.ts'
import { BOOL, INT, listOf, mapOf, optionalOf, typeParameter } from '../types/cel-type.ts'
import { declare, type FunctionDeclaration, globalForm, method } from '../types/declaration.ts'

const K = typeParameter('K')
const V = typeParameter('V')
const OPTIONAL = optionalOf(V)
const LIST = listOf(V)
const MAP = mapOf(K, V)

function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true
  if (value instanceof ListValue || value instanceof MapValue) return value.size === 0
  if (value instanceof Uint8Array) return value.length === 0
  if (value instanceof UintValue) return value.value === 0n
  if (value instanceof DurationValue) return value.nanos === 0n
  // Go's zero time is that of the year 1.
  if (value instanceof TimestampValue) return value.nanos === -62_135_596_800_000_000_000n
  return value instanceof OptionalValue && value.value === undefined
}

const never = (): Value => noSuchOverload()

function unwrapAll(list: ListValue): Value {
  const found: Value[] = []
  for (const each of list) {
    if (!(each instanceof OptionalValue)) return fail(`value ${String(each)} is not optional`)
    if (each.value !== undefined) found.push(each.value)
  }
  return new ArrayList(found)
}

const elementAt = (list: ListValue, index: number): Value =>
  list.size === 0 ? OptionalValue.none : new OptionalValue(list.at(index))

export const optionals: readonly FunctionDeclaration[] = [
  declare(
    'optional.of',
    globalForm('optional_of', [V], OPTIONAL, (value: Value) => new OptionalValue(value)),
  ),
  declare(
    'optional.ofNonZeroValue',
    globalForm('optional_ofNonZeroValue', [V], OPTIONAL, (value: Value) =>
      isZero(value) ? OptionalValue.none : new OptionalValue(value),
    ),
  ),
  declare(
    'optional.none',
    globalForm('optional_none', [], OPTIONAL, () => OptionalValue.none),
  ),
  declare(
    'value',
    method(
      'optional_value',
      [OPTIONAL],
      V,
      ({ value }: OptionalValue) => value ?? fail('optional.none() dereference'),
    ),
  ),
  declare(
    'hasValue',
    method('optional_hasValue', [OPTIONAL], BOOL, ({ value }: OptionalValue) => value !== undefined),
  ),
  // The planner does these: what is not needed is not computed.
  declare('or', method('optional_or_optional', [OPTIONAL, OPTIONAL], OPTIONAL, never)),
  declare('orValue', method('optional_orValue_value', [OPTIONAL, V], V, never)),
  declare(
    '_[?_]',
    globalForm('list_optindex_optional_int', [LIST, INT], OPTIONAL, never),
    globalForm('optional_list_optindex_optional_int', [optionalOf(LIST), INT], OPTIONAL, never),
    globalForm('map_optindex_optional_value', [MAP, K], OPTIONAL, never),
    globalForm('optional_map_optindex_optional_value', [optionalOf(MAP), K], OPTIONAL, never),
  ),
  declare(
    '_[_]',
    globalForm('optional_list_index_int', [optionalOf(LIST), INT], OPTIONAL, never),
    globalForm('optional_map_index_value', [optionalOf(MAP), K], OPTIONAL, never),
  ),
  declare(
    'last',
    method('list_last', [LIST], OPTIONAL, (list: ListValue) => elementAt(list, list.size - 1)),
  ),
  declare(
    'first',
    method('list_first', [LIST], OPTIONAL, (list: ListValue) => elementAt(list, 0)),
  ),
  declare('optional.unwrap', globalForm('optional_unwrap', [listOf(OPTIONAL)], LIST, unwrapAll)),
  declare('unwrapOpt', method('optional_unwrapOpt', [listOf(OPTIONAL)], LIST, unwrapAll)),
]
