import { type JsonObject, setField } from '../patch/json-value.ts'
import { decodeScalar, isZero, scalarWireType } from './decode-scalar.ts'
import type { Field, Message } from './message-table.ts'
import { MalformedProtobuf, type WireReader, wireTypes } from './wire-reader.ts'

/** Deeper than any schema of a custom resource; far less than what the stack can take. */
const depthLimit = 200

/** Parses JSON inside of protobuf. The caller supplies it and decides how exact numbers must be. */
export type ParseJson = (bytes: Uint8Array) => unknown

/** A message as the JSON value that Go would write for it. */
export function decodeMessage(reader: WireReader, message: Message, parseJson: ParseJson): unknown {
  return new Decoder(parseJson).message(reader, message, undefined, 0)
}

class Decoder {
  readonly #parseJson: ParseJson

  constructor(parseJson: ParseJson) {
    this.#parseJson = parseJson
  }

  /** `before` is what an earlier occurrence of the same field has left: a message in two pieces is one message. */
  message(reader: WireReader, message: Message, before: unknown, depth: number): unknown {
    if (depth > depthLimit) throw new MalformedProtobuf(`proto: ${message.name}: nested too deeply`)
    if (message.isUnion) return this.#union(reader, message, depth)
    const object = (before ?? {}) as JsonObject
    this.#fields(reader, message, object, depth)
    return object
  }

  #fields(reader: WireReader, message: Message, object: JsonObject, depth: number): void {
    while (reader.next(message.name)) {
      const field = message.fields.get(reader.field)
      if (!field) reader.skip()
      else this.#field(reader, field, object, depth)
    }
  }

  #field(reader: WireReader, field: Field, object: JsonObject, depth: number): void {
    const { name, shape, type } = field
    if (shape === 'list') return this.#list(reader, field, object, depth)
    checkWireType(reader, field)
    if (shape === 'map') return this.#mapEntry(reader, field, object, depth)
    if (typeof type === 'string') {
      const value = decodeScalar(reader, type, this.#parseJson)
      // The last occurrence counts, also when it takes back an earlier one.
      if (value !== undefined && (field.keepsZero || !isZero(value))) object[name] = value
      else if (Object.hasOwn(object, name)) delete object[name]
    } else if (shape === 'inline') {
      this.message(reader.message(), type(), object, depth + 1)
    } else {
      object[name] = this.message(reader.message(), type(), object[name], depth + 1)
    }
  }

  #list(reader: WireReader, field: Field, object: JsonObject, depth: number): void {
    const { name, type } = field
    object[name] ??= []
    const items = object[name] as unknown[]
    if (typeof type !== 'string') {
      checkWireType(reader, field)
      items.push(this.message(reader.message(), type(), undefined, depth + 1))
      return
    }
    // Numbers may come packed into one field; readers take both forms.
    if (reader.wireType === wireTypes.bytes && scalarWireType(type) !== wireTypes.bytes) {
      const packed = reader.message()
      while (!packed.isAtEnd) items.push(decodeScalar(packed, type, this.#parseJson))
      return
    }
    checkWireType(reader, field)
    items.push(decodeScalar(reader, type, this.#parseJson) ?? null)
  }

  #mapEntry(reader: WireReader, { name, type }: Field, object: JsonObject, depth: number): void {
    object[name] ??= {}
    const entries = object[name] as JsonObject
    const entry = reader.message()
    let key = ''
    let value: unknown
    while (entry.next('Entry')) {
      if (entry.field === 1) {
        checkEntryWireType(entry, wireTypes.bytes)
        key = entry.text()
      } else if (entry.field === 2) {
        checkEntryWireType(entry, typeof type === 'string' ? scalarWireType(type) : wireTypes.bytes)
        value =
          typeof type === 'string'
            ? decodeScalar(entry, type, this.#parseJson)
            : this.message(entry.message(), type(), value, depth + 1)
      } else entry.skip()
    }
    setField(entries, key, value ?? emptyValue(type))
  }

  #union(reader: WireReader, message: Message, depth: number): unknown {
    const object: JsonObject = {}
    this.#fields(reader, message, object, depth)
    for (const { name } of message.fields.values()) {
      if (object[name] !== undefined) return object[name]
    }
    return null
  }
}

/** The default value of a map entry that has only a key. */
function emptyValue(type: Field['type']): unknown {
  if (type === 'string' || type === 'bytes') return ''
  if (type === 'quantity') return '0'
  return typeof type === 'string' || type().isUnion ? null : {}
}

function checkWireType(reader: WireReader, { name, shape, type }: Field): void {
  const wanted = typeof type === 'string' && shape !== 'map' ? scalarWireType(type) : wireTypes.bytes
  if (reader.wireType !== wanted) throw wrongWireType(reader.wireType, goName(name))
}

function checkEntryWireType(entry: WireReader, wanted: number): void {
  if (entry.wireType !== wanted) throw wrongWireType(entry.wireType, entry.field === 1 ? 'Key' : 'Value')
}

function wrongWireType(found: number, field: string): MalformedProtobuf {
  return new MalformedProtobuf(`proto: wrong wireType = ${found} for field ${field}`)
}

/** As the field is called in Go: metadata is embedded there, under the name of its type. */
function goName(name: string): string {
  return name === 'metadata' ? 'ObjectMeta' : name.charAt(0).toUpperCase() + name.slice(1)
}
