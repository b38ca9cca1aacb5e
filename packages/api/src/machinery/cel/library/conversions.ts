import {
  DurationValue,
  fail,
  type TimestampValue,
  TypeValue,
  UintValue,
  type Value,
} from '../evaluation/value.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  STRING,
  TIMESTAMP,
  typeOf,
  typeParameter,
  UINT,
} from '../types/cel-type.ts'
import { declare, type FunctionDeclaration, globalForm } from '../types/declaration.ts'
import { doubleText, parseDouble } from './number-text.ts'
import { runtimeType } from './runtime-type.ts'
import { checkedTimestamp } from './time-range.ts'
import { durationText, parseGoDuration, parseTimestamp, splitNanos, timestampText } from './time-text.ts'

const A = typeParameter('A')
const same = (value: Value): Value => value
const cannot = (to: string): Value => fail(`type conversion error from 'string' to '${to}'`)

function intOf(text: string): Value {
  if (!/^[+-]?\d{1,20}$/.test(text)) return cannot('int')
  const value = BigInt(text.replace(/^\+/, ''))
  return BigInt.asIntN(64, value) === value ? value : cannot('int')
}

function uintOf(text: string): Value {
  if (!/^\d{1,21}$/.test(text)) return cannot('uint')
  const value = BigInt(text)
  return BigInt.asUintN(64, value) === value ? new UintValue(value) : cannot('uint')
}

function doubleToInt(value: number): Value {
  const isInRange = value > -(2 ** 63) && value < 2 ** 63
  return isInRange ? BigInt(Math.trunc(value)) : fail('integer overflow')
}

function doubleToUint(value: number): Value {
  const isInRange = value >= 0 && value < 2 ** 64
  return isInRange ? new UintValue(BigInt(Math.trunc(value))) : fail('unsigned integer overflow')
}

const truths = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const untruths = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])

function boolOf(text: string): Value {
  if (truths.has(text)) return true
  return untruths.has(text) ? false : cannot('bool')
}

function durationOf(text: string): Value {
  const nanos = parseGoDuration(text)
  return nanos === undefined ? cannot('google.protobuf.Duration') : new DurationValue(nanos)
}

function timestampOf(text: string): Value {
  const parsed = parseTimestamp(text)
  return parsed ? checkedTimestamp(parsed.nanos, parsed.offsetSeconds) : cannot('google.protobuf.Timestamp')
}

function bytesToString(bytes: Uint8Array): Value {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return fail('invalid UTF-8 in bytes, cannot convert to string')
  }
}

export const conversions: readonly FunctionDeclaration[] = [
  declare(
    'type',
    globalForm('type', [A], typeOf(A), (value: Value) => new TypeValue(runtimeType(value))),
  ),
  declare(
    'bool',
    globalForm('bool_to_bool', [BOOL], BOOL, same),
    globalForm('string_to_bool', [STRING], BOOL, boolOf),
  ),
  declare(
    'bytes',
    globalForm('bytes_to_bytes', [BYTES], BYTES, same),
    globalForm('string_to_bytes', [STRING], BYTES, (text: string) => new TextEncoder().encode(text)),
  ),
  declare(
    'double',
    globalForm('double_to_double', [DOUBLE], DOUBLE, same),
    globalForm('int64_to_double', [INT], DOUBLE, (value: bigint) => Number(value)),
    globalForm('string_to_double', [STRING], DOUBLE, (text: string) => parseDouble(text) ?? cannot('double')),
    globalForm('uint64_to_double', [UINT], DOUBLE, ({ value }: UintValue) => Number(value)),
  ),
  declare(
    'duration',
    globalForm('duration_to_duration', [DURATION], DURATION, same),
    globalForm('string_to_duration', [STRING], DURATION, durationOf),
  ),
  declare(
    'int',
    globalForm('int64_to_int64', [INT], INT, same),
    globalForm('double_to_int64', [DOUBLE], INT, doubleToInt),
    globalForm('duration_to_int64', [DURATION], INT, ({ nanos }: DurationValue) => nanos),
    globalForm('string_to_int64', [STRING], INT, intOf),
    globalForm(
      'timestamp_to_int64',
      [TIMESTAMP],
      INT,
      ({ nanos }: TimestampValue) => splitNanos(nanos).seconds,
    ),
    globalForm('uint64_to_int64', [UINT], INT, ({ value }: UintValue) =>
      BigInt.asIntN(64, value) === value ? value : fail('integer overflow'),
    ),
  ),
  declare(
    'string',
    globalForm('string_to_string', [STRING], STRING, same),
    globalForm('bool_to_string', [BOOL], STRING, String),
    globalForm('bytes_to_string', [BYTES], STRING, bytesToString),
    globalForm('double_to_string', [DOUBLE], STRING, doubleText),
    globalForm('duration_to_string', [DURATION], STRING, ({ nanos }: DurationValue) => durationText(nanos)),
    globalForm('int64_to_string', [INT], STRING, String),
    globalForm('timestamp_to_string', [TIMESTAMP], STRING, timestampText),
    globalForm('uint64_to_string', [UINT], STRING, ({ value }: UintValue) => String(value)),
  ),
  declare(
    'timestamp',
    globalForm('timestamp_to_timestamp', [TIMESTAMP], TIMESTAMP, same),
    globalForm('int64_to_timestamp', [INT], TIMESTAMP, (seconds: bigint) =>
      checkedTimestamp(seconds * 1_000_000_000n),
    ),
    globalForm('string_to_timestamp', [STRING], TIMESTAMP, timestampOf),
  ),
  declare(
    'uint',
    globalForm('uint64_to_uint64', [UINT], UINT, same),
    globalForm('double_to_uint64', [DOUBLE], UINT, doubleToUint),
    globalForm('int64_to_uint64', [INT], UINT, (value: bigint) =>
      value < 0n ? fail('unsigned integer overflow') : new UintValue(value),
    ),
    globalForm('string_to_uint64', [STRING], UINT, uintOf),
  ),
]
