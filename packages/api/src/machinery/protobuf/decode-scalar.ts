import type { ParseJson } from './decode-message.ts'
import type { Scalar } from './message-table.ts'
import { MalformedProtobuf, type WireReader, wireTypes } from './wire-reader.ts'

export function scalarWireType(type: Scalar): number {
  switch (type) {
    case 'bool':
    case 'int32':
    case 'int64':
      return wireTypes.varint
    case 'double':
      return wireTypes.fixed64
    default:
      return wireTypes.bytes
  }
}

/** The value as JSON has it; undefined where Go would write null. */
export function decodeScalar(reader: WireReader, type: Scalar, parseJson: ParseJson): unknown {
  switch (type) {
    case 'string':
      return reader.text()
    case 'bool':
      return reader.boolean()
    case 'int32':
      return reader.int32()
    case 'int64':
      return reader.int64()
    case 'double':
      return finite(reader.double())
    case 'bytes':
      return reader.bytes().toBase64()
    case 'time':
      return time(reader.message(), false)
    case 'microTime':
      return time(reader.message(), true)
    case 'quantity':
      return quantity(reader.message())
    case 'intOrString':
      return intOrString(reader.message())
    case 'json':
    case 'fieldsV1':
      return embeddedJson(reader.message(), type, parseJson)
  }
}

export function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new MalformedProtobuf(`json: unsupported value: ${value}`)
  return value
}

// RFC 3339 has four digits for a year: these are the first and the last second that it can say.
const firstSecond = -62_167_219_200
const lastSecond = 253_402_300_799

/** A timestamp of seconds and nanoseconds. No bytes at all are Go's zero time, which JSON has as null. */
function time(reader: WireReader, isMicro: boolean): string | undefined {
  if (reader.isAtEnd) return undefined
  let seconds = 0
  let nanos = 0
  while (reader.next('Timestamp')) {
    if (reader.field > 2) {
      reader.skip()
      continue
    }
    expect(reader, wireTypes.varint, reader.field === 1 ? 'Seconds' : 'Nanos')
    if (reader.field === 1) seconds = reader.int64AsNumber()
    else nanos = reader.int32()
  }
  // Plain times are whole seconds for upstream too; fractions that JSON would lose are not taken from here either.
  const micros = isMicro ? Math.floor(nanos / 1_000) : 0
  const whole = seconds + Math.floor(micros / 1e6)
  if (!(whole >= firstSecond && whole <= lastSecond)) {
    throw new MalformedProtobuf('Time.MarshalJSON: year outside of range [0,9999]')
  }
  const text = new Date(whole * 1_000).toISOString().slice(0, 19)
  if (!isMicro) return `${text}Z`
  return `${text}.${String(micros - Math.floor(micros / 1e6) * 1e6).padStart(6, '0')}Z`
}

function quantity(reader: WireReader): string {
  let text = '0'
  while (reader.next('Quantity')) {
    if (reader.field === 1) {
      expect(reader, wireTypes.bytes, 'String_')
      text = reader.text()
    } else reader.skip()
  }
  return text
}

function intOrString(reader: WireReader): number | string {
  let isText = false
  let number = 0
  let text = ''
  while (reader.next('IntOrString')) {
    switch (reader.field) {
      case 1: {
        expect(reader, wireTypes.varint, 'Type')
        const type = reader.int64AsNumber()
        if (type !== 0 && type !== 1) throw new MalformedProtobuf('impossible IntOrString.Type')
        isText = type === 1
        break
      }
      case 2:
        expect(reader, wireTypes.varint, 'IntVal')
        number = reader.int32()
        break
      case 3:
        expect(reader, wireTypes.bytes, 'StrVal')
        text = reader.text()
        break
      default:
        reader.skip()
    }
  }
  return isText ? text : number
}

/** A message with one field, which holds JSON. */
function embeddedJson(reader: WireReader, type: 'json' | 'fieldsV1', parseJson: ParseJson): unknown {
  let raw: Uint8Array | undefined
  const name = type === 'json' ? 'RawExtension' : 'FieldsV1'
  while (reader.next(name)) {
    if (reader.field === 1) {
      expect(reader, wireTypes.bytes, 'Raw')
      raw = reader.bytes()
    } else reader.skip()
  }
  if (raw === undefined || raw.length === 0) return undefined
  return parseJson(raw)
}

function expect(reader: WireReader, wireType: number, field: string): void {
  if (reader.wireType !== wireType) {
    throw new MalformedProtobuf(`proto: wrong wireType = ${reader.wireType} for field ${field}`)
  }
}
