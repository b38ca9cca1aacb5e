import { work } from '../cost/work.ts'
import {
  CelError,
  DurationValue,
  fail,
  isError,
  ListValue,
  MapValue,
  OpaqueValue,
  TimestampValue,
  TypeValue,
  typeNameOf,
  UintValue,
  type Value,
} from '../evaluation/value.ts'
import { doubleText, exponentText, notFinite } from './number-text.ts'
import { durationText, timestampText } from './time-text.ts'

type Formatted = string | CelError
const defaultPrecision = 6
/** Bounds the digits: more are noise, and an expression could ask for any number. */
const maxPrecision = 1000

/** `'%s has %d'.format([…])`. */
export function formatText(format: string, args: ListValue): Formatted {
  const written: string[] = []
  let next = 0
  for (let at = 0; at < format.length; ) {
    const percent = format.indexOf('%', at)
    written.push(format.slice(at, percent < 0 ? undefined : percent))
    if (percent < 0) break
    if (format[percent + 1] === '%') {
      written.push('%')
      at = percent + 2
      continue
    }
    const [clause, precision, verb = ''] = /^%(?:\.(\d+))?(.?)/su.exec(format.slice(percent)) ?? []
    if (verb === '') return fail('unexpected end of string')
    if (next >= args.size) return fail(`index ${next} out of range`)
    const value = args.at(next++)
    const text = formatClause(verb, value, precision)
    if (text instanceof CelError) return text
    written.push(text)
    at = percent + (clause?.length ?? 2)
  }
  return written.join('')
}

function formatClause(verb: string, value: Value, precision: string | undefined): Formatted {
  const digits = precision === undefined ? defaultPrecision : Number(precision)
  if (digits > maxPrecision)
    return fail(`precision ${digits} exceeds maximum allowed precision of ${maxPrecision}`)
  switch (verb) {
    case 's':
      return formatString(value)
    case 'd':
      return wholeNumber(value, 10) ?? wrongClause('integer', 'integers', 'decimal', value)
    case 'f':
      return formatFixed(value, digits)
    case 'e':
      return formatScientific(value, digits)
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0'
      return wholeNumber(value, 2) ?? wrongClause('integer or bool', 'integers and bools', 'binary', value)
    case 'o':
      return wholeNumber(value, 8) ?? wrongClause('integer', 'integers', 'octal', value)
    case 'x':
    case 'X':
      return formatHex(value, verb === 'X')
    default:
      return fail(`could not parse formatting clause: unrecognized formatting clause "${verb}"`)
  }
}

const wrongClause = (_expected: string, allowed: string, clause: string, value: Value): CelError =>
  fail(
    `error during formatting: ${clause} clause can only be used on ${allowed}, was given ${typeNameOf(value)}`,
  )

function wholeNumber(value: Value, base: number): string | undefined {
  if (typeof value === 'bigint') return value.toString(base)
  return value instanceof UintValue ? value.value.toString(base) : undefined
}

function doubleOf(value: Value): number | undefined {
  if (typeof value === 'number') return value
  if (value === 'NaN') return Number.NaN
  if (value === 'Infinity') return Number.POSITIVE_INFINITY
  return value === '-Infinity' ? Number.NEGATIVE_INFINITY : undefined
}

const signs = (text: string): string => text.replace('+Inf', '∞').replace('-Inf', '-∞')

function formatFixed(value: Value, digits: number): Formatted {
  const number = doubleOf(value)
  if (number === undefined) return wrongClause('double', 'doubles', 'fixed-point', value)
  if (!Number.isFinite(number)) return signs(notFinite(number))
  const places = Math.min(digits, 100)
  const large = Math.abs(number) >= 1e21
  const text = large
    ? `${BigInt(number)}${places > 0 ? `.${'0'.repeat(places)}` : ''}`
    : number.toFixed(places)
  // As English has it: thousands are separated.
  return text.replace(/\d+/, (whole) => whole.replace(/\B(?=(?:\d{3})+$)/g, ','))
}

function formatScientific(value: Value, digits: number): Formatted {
  const number = doubleOf(value)
  if (number === undefined) return wrongClause('double', 'doubles', 'scientific', value)
  if (!Number.isFinite(number)) return signs(notFinite(number))
  const [mantissa = '', power = '0'] = number.toExponential(Math.min(digits, 100)).split('e')
  return `${mantissa}×10${superscript(exponentText(Number(power)))}`
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹'
const superscript = (text: string): string =>
  [...text.replace('+', '')].map((each) => (each === '-' ? '⁻' : superscripts[Number(each)])).join('')

function formatHex(value: Value, isUpper: boolean): Formatted {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
  const text =
    bytes instanceof Uint8Array
      ? [...bytes].map((each) => each.toString(16).padStart(2, '0')).join('')
      : wholeNumber(value, 16)
  if (text === undefined) return wrongClause('', 'integers, byte buffers, and strings', 'hex', value)
  return isUpper ? text.toUpperCase() : text
}

function formatString(value: Value): Formatted {
  if (value === null) return 'null'
  switch (typeof value) {
    case 'string':
      return value
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'number':
      return doubleText(value)
    default:
  }
  if (isError(value)) return value
  if (value instanceof UintValue) return String(value.value)
  if (value instanceof ListValue) return formatList(value)
  if (value instanceof MapValue) return formatMap(value)
  if (value instanceof Uint8Array) return new TextDecoder().decode(value)
  if (value instanceof TimestampValue) return timestampText(value)
  if (value instanceof DurationValue) return durationText(value.nanos)
  if (value instanceof TypeValue) return value.type.name
  if (value instanceof OpaqueValue) {
    return wrongClause(
      '',
      'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
      'string',
      value,
    )
  }
  return wrongClause(
    '',
    'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    'string',
    value,
  )
}

/** Inside lists and maps, texts are quoted, and times carry their type. */
function formatMember(value: Value): Formatted {
  // A text costs its length: the same one may occur a thousand times.
  work(typeof value === 'string' ? 1 + value.length : 1)
  if (typeof value === 'string') return JSON.stringify(value)
  if (value instanceof Uint8Array) return `b${JSON.stringify(new TextDecoder().decode(value))}`
  if (value instanceof TimestampValue) return `timestamp(${JSON.stringify(timestampText(value))})`
  if (value instanceof DurationValue) return `duration(${JSON.stringify(durationText(value.nanos))})`
  if (typeof value === 'number') {
    return Number.isFinite(value) ? value.toFixed(defaultPrecision) : JSON.stringify(notFinite(value))
  }
  return formatString(value)
}

function formatList(list: ListValue): Formatted {
  const parts: string[] = []
  for (const each of list) {
    const text = formatMember(each)
    if (text instanceof CelError) return text
    parts.push(text)
  }
  return `[${parts.join(', ')}]`
}

function formatMap(map: MapValue): Formatted {
  const parts: Array<readonly [string, string]> = []
  for (const key of map.keys()) {
    const name = formatMember(key)
    const value = formatMember(map.find(key) ?? null)
    if (name instanceof CelError) return name
    if (value instanceof CelError) return value
    parts.push([name, value])
  }
  parts.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${parts.map(([name, value]) => `${name}:${value}`).join(', ')}}`
}
