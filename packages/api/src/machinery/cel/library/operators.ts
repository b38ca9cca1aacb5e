import { stringSize } from '../cost/call-cost.ts'
import { compare, listContains } from '../evaluation/equality.ts'
import {
  ArrayList,
  type DurationValue,
  EntryMap,
  fail,
  isError,
  type ListValue,
  type MapValue,
  type TimestampValue,
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
  mapOf,
  STRING,
  TIMESTAMP,
  typeParameter,
  UINT,
} from '../types/cel-type.ts'
import { declare, type FunctionDeclaration, globalForm, method, type Overload } from '../types/declaration.ts'
import { checkedDuration, checkedTimestamp } from './time-range.ts'

const A = typeParameter('A')
const B = typeParameter('B')
const LIST = listOf(A)
const MAP = mapOf(A, B)

const leastInt = -(2n ** 63n)
const int = (value: bigint): Value => (BigInt.asIntN(64, value) === value ? value : fail('integer overflow'))
const uint = (value: bigint): Value =>
  BigInt.asUintN(64, value) === value ? new UintValue(value) : fail('unsigned integer overflow')

const ofInts = (id: string, run: (a: bigint, b: bigint) => Value): Overload =>
  globalForm(id, [INT, INT], INT, run)
const ofUints = (id: string, run: (a: bigint, b: bigint) => Value): Overload =>
  globalForm(id, [UINT, UINT], UINT, (a: UintValue, b: UintValue) => run(a.value, b.value))
const ofDoubles = (id: string, run: (a: number, b: number) => number): Overload =>
  globalForm(id, [DOUBLE, DOUBLE], DOUBLE, run)

/** One list after the other, unless the kind of list says what `+` does. */
function addLists(a: ListValue, b: ListValue): Value {
  if (a.plus) return a.plus(b)
  return a instanceof ArrayList ? a.followedBy(b) : new ArrayList([...a, ...b])
}

function addBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length)
  joined.set(a)
  joined.set(b, a.length)
  return joined
}

const shifted = (time: TimestampValue, by: DurationValue): Value =>
  checkedTimestamp(time.nanos + by.nanos, time.offsetSeconds)

const arithmetic: readonly FunctionDeclaration[] = [
  declare(
    '_+_',
    globalForm('add_bytes', [BYTES, BYTES], BYTES, addBytes),
    ofDoubles('add_double', (a, b) => a + b),
    globalForm(
      'add_duration_duration',
      [DURATION, DURATION],
      DURATION,
      (a: DurationValue, b: DurationValue) => checkedDuration(a.nanos + b.nanos),
    ),
    globalForm(
      'add_duration_timestamp',
      [DURATION, TIMESTAMP],
      TIMESTAMP,
      (by: DurationValue, time: TimestampValue) => shifted(time, by),
    ),
    globalForm('add_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP, shifted),
    ofInts('add_int64', (a, b) => int(a + b)),
    globalForm('add_list', [LIST, LIST], LIST, addLists),
    globalForm('add_string', [STRING, STRING], STRING, (a: string, b: string) => a + b),
    ofUints('add_uint64', (a, b) => uint(a + b)),
  ),
  declare(
    '_-_',
    ofDoubles('subtract_double', (a, b) => a - b),
    globalForm(
      'subtract_duration_duration',
      [DURATION, DURATION],
      DURATION,
      (a: DurationValue, b: DurationValue) => checkedDuration(a.nanos - b.nanos),
    ),
    ofInts('subtract_int64', (a, b) => int(a - b)),
    globalForm(
      'subtract_timestamp_duration',
      [TIMESTAMP, DURATION],
      TIMESTAMP,
      (time: TimestampValue, by: DurationValue) =>
        checkedTimestamp(time.nanos - by.nanos, time.offsetSeconds),
    ),
    globalForm(
      'subtract_timestamp_timestamp',
      [TIMESTAMP, TIMESTAMP],
      DURATION,
      (a: TimestampValue, b: TimestampValue) => checkedDuration(a.nanos - b.nanos),
    ),
    ofUints('subtract_uint64', (a, b) => uint(a - b)),
  ),
  declare(
    '_*_',
    ofDoubles('multiply_double', (a, b) => a * b),
    ofInts('multiply_int64', (a, b) => int(a * b)),
    ofUints('multiply_uint64', (a, b) => uint(a * b)),
  ),
  declare(
    '_/_',
    ofDoubles('divide_double', (a, b) => a / b),
    ofInts('divide_int64', (a, b) => (b === 0n ? fail('division by zero') : int(a / b))),
    ofUints('divide_uint64', (a, b) => (b === 0n ? fail('division by zero') : uint(a / b))),
  ),
  declare(
    '_%_',
    ofInts('modulo_int64', (a, b) => {
      if (b === 0n) return fail('modulus by zero')
      // As cel-go has it: the quotient of the least integer and -1 is out of range, though the rest is 0.
      return b === -1n && a === leastInt ? fail('integer overflow') : a % b
    }),
    ofUints('modulo_uint64', (a, b) => (b === 0n ? fail('modulus by zero') : uint(a % b))),
  ),
  declare(
    '-_',
    globalForm('negate_double', [DOUBLE], DOUBLE, (a: number) => -a),
    globalForm('negate_int64', [INT], INT, (a: bigint) => int(-a)),
  ),
]

const ordered: ReadonlyArray<readonly [suffix: string, a: CelType, b: CelType]> = [
  ['bool', BOOL, BOOL],
  ['int64', INT, INT],
  ['int64_double', INT, DOUBLE],
  ['int64_uint64', INT, UINT],
  ['uint64', UINT, UINT],
  ['uint64_double', UINT, DOUBLE],
  ['uint64_int64', UINT, INT],
  ['double', DOUBLE, DOUBLE],
  ['double_int64', DOUBLE, INT],
  ['double_uint64', DOUBLE, UINT],
  ['string', STRING, STRING],
  ['bytes', BYTES, BYTES],
  ['timestamp', TIMESTAMP, TIMESTAMP],
  ['duration', DURATION, DURATION],
]

const comparison = (name: string, prefix: string, holds: (order: number) => boolean): FunctionDeclaration =>
  declare(
    name,
    ...ordered.map(([suffix, a, b]) =>
      globalForm(`${prefix}_${suffix}`, [a, b], BOOL, (left: Value, right: Value) => {
        const order = compare(left, right)
        return isError(order) ? order : holds(order)
      }),
    ),
  )

const never = (): Value => fail('no such overload')

/** Operators that the planner implements itself are declared only for the type checker. */
const planned: readonly FunctionDeclaration[] = [
  declare('_?_:_', globalForm('conditional', [BOOL, A, A], A, never)),
  declare('_&&_', globalForm('logical_and', [BOOL, BOOL], BOOL, never)),
  declare('_||_', globalForm('logical_or', [BOOL, BOOL], BOOL, never)),
  declare('@not_strictly_false', globalForm('not_strictly_false', [BOOL], BOOL, never)),
  declare('_==_', globalForm('equals', [A, A], BOOL, never)),
  declare('_!=_', globalForm('not_equals', [A, A], BOOL, never)),
  declare(
    '_[_]',
    globalForm('index_list', [LIST, INT], A, never),
    globalForm('index_map', [MAP, A], B, never),
  ),
]

function insert(map: MapValue, key: Value, value: Value): Value {
  let target = map instanceof EntryMap ? map : EntryMap.empty()
  if (target !== map) {
    for (const each of map.keys()) {
      const next = target.with(each, map.find(each) ?? null)
      if (isError(next)) return next
      target = next
    }
  }
  return target.with(key, value)
}

function insertAll(map: MapValue, added: MapValue): Value {
  let result: Value = map
  for (const key of added.keys()) {
    result = insert(result as MapValue, key, added.find(key) ?? null)
    if (isError(result)) return result
  }
  return result
}

const count = (value: ListValue | MapValue): bigint => BigInt(value.size)
const characters = (text: string): bigint => BigInt(stringSize(text))
const bytes = (value: Uint8Array): bigint => BigInt(value.length)

export const operators: readonly FunctionDeclaration[] = [
  ...arithmetic,
  ...planned,
  comparison('_<_', 'less', (order) => order < 0),
  comparison('_<=_', 'less_equals', (order) => order <= 0),
  comparison('_>_', 'greater', (order) => order > 0),
  comparison('_>=_', 'greater_equals', (order) => order >= 0),
  declare(
    '!_',
    globalForm('logical_not', [BOOL], BOOL, (value: boolean) => !value),
  ),
  declare(
    '@in',
    globalForm('in_list', [A, LIST], BOOL, (value: Value, list: ListValue) => listContains(list, value)),
    globalForm('in_map', [A, MAP], BOOL, (key: Value, map: MapValue) => {
      const found = map.find(key)
      return isError(found) ? found : found !== undefined
    }),
  ),
  declare(
    'size',
    globalForm('size_bytes', [BYTES], INT, bytes),
    method('bytes_size', [BYTES], INT, bytes),
    globalForm('size_list', [LIST], INT, count),
    method('list_size', [LIST], INT, count),
    globalForm('size_map', [MAP], INT, count),
    method('map_size', [MAP], INT, count),
    globalForm('size_string', [STRING], INT, characters),
    method('string_size', [STRING], INT, characters),
  ),
  declare(
    'cel.@mapInsert',
    globalForm('@mapInsert_map_key_value', [MAP, A, B], MAP, insert),
    globalForm('@mapInsert_map_map', [MAP, MAP], MAP, insertAll),
  ),
  declare(
    'dyn',
    globalForm('to_dyn', [A], DYN, (value: Value) => value),
  ),
]
