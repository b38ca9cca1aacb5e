import { Buffer } from 'node:buffer'

/**
 * The protobuf wire format, as much of it as etcd's messages need: varints, length-delimited fields, and
 * skipping unknown fields. Revisions are read as numbers: the store interface promises that they stay below 2^53.
 */

/** The other side does not speak the expected protocol; the connection is useless. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage'
}

const VARINT = 0
const FIXED64 = 1
const BYTES = 2
const FIXED32 = 5

/** Appends fields to one growing buffer. Proto3: the caller omits a field at its default. */
export class WireWriter {
  #buffer: Buffer
  #length: number

  /** `reserved` bytes stay free in front, so that framing needs no second copy. */
  constructor(capacity: number, reserved = 0) {
    this.#buffer = Buffer.allocUnsafe(capacity + reserved)
    this.#length = reserved
  }

  integer(field: number, value: number): void {
    this.#reserve(20)
    this.#varint(field * 8 + VARINT)
    this.#varint(value)
  }

  boolean(field: number, value: boolean): void {
    if (value) this.integer(field, 1)
  }

  string(field: number, text: string): void {
    // Three bytes of UTF-8 at most per UTF-16 unit.
    this.#reserve(text.length * 3 + 20)
    this.#varint(field * 8 + BYTES)
    this.#delimited(() => {
      this.#length += this.#buffer.write(text, this.#length, 'utf8')
    })
  }

  bytes(field: number, value: Uint8Array): void {
    this.#reserve(value.length + 20)
    this.#varint(field * 8 + BYTES)
    this.#varint(value.length)
    this.#buffer.set(value, this.#length)
    this.#length += value.length
  }

  message(field: number, write: () => void): void {
    this.#reserve(20)
    this.#varint(field * 8 + BYTES)
    this.#delimited(write)
  }

  finish(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  /**
   * The length stands before the content but is known only after it. One byte is set aside, enough below
   * 128; longer content is moved up once, which is cheaper than measuring everything beforehand.
   */
  #delimited(write: () => void): void {
    const at = this.#length
    this.#length += 1
    write()
    const size = this.#length - at - 1
    const extra = varintSize(size) - 1
    if (extra > 0) {
      this.#reserve(extra)
      this.#buffer.copyWithin(at + 1 + extra, at + 1, this.#length)
    }
    this.#length = at
    this.#varint(size)
    this.#length += size
  }

  #varint(value: number): void {
    let rest = value
    while (rest > 0x7f) {
      this.#buffer[this.#length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#buffer[this.#length++] = rest
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#buffer.length) return
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + more))
    this.#buffer.copy(grown, 0, 0, this.#length)
    this.#buffer = grown
  }
}

function varintSize(value: number): number {
  let size = 1
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) size++
  return size
}

/** Reads the fields of one message: `while (reader.next()) switch (reader.field) { … default: reader.skip() }`. */
export class WireReader {
  readonly #buffer: Buffer
  readonly #end: number
  #at: number
  #wireType = 0
  field: number = 0

  constructor(buffer: Buffer, start = 0, end = buffer.length) {
    this.#buffer = buffer
    this.#at = start
    this.#end = end
  }

  next(): boolean {
    if (this.#at >= this.#end) return false
    const tag = this.integer()
    this.field = tag >>> 3
    this.#wireType = tag & 7
    return true
  }

  integer(): number {
    let value = 0
    let scale = 1
    for (;;) {
      const byte = this.#buffer[this.#at++]
      if (byte === undefined || this.#at > this.#end) throw endsWithinField()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 0x80
    }
  }

  boolean(): boolean {
    return this.integer() !== 0
  }

  /** Shares the memory of the message. */
  bytes(): Uint8Array {
    const [start, end] = this.#span()
    return new Uint8Array(this.#buffer.buffer, this.#buffer.byteOffset + start, end - start)
  }

  string(): string {
    const [start, end] = this.#span()
    return this.#buffer.toString('utf8', start, end)
  }

  message(): WireReader {
    const [start, end] = this.#span()
    return new WireReader(this.#buffer, start, end)
  }

  skip(): void {
    switch (this.#wireType) {
      case VARINT:
        this.integer()
        return
      case BYTES:
        this.#span()
        return
      case FIXED64:
        this.#at += 8
        return
      case FIXED32:
        this.#at += 4
        return
      default:
        throw new MalformedMessage(`a message has the unknown wire type ${this.#wireType}`)
    }
  }

  #span(): [start: number, end: number] {
    const size = this.integer()
    const start = this.#at
    this.#at += size
    if (this.#at > this.#end) throw endsWithinField()
    return [start, this.#at]
  }
}

function endsWithinField(): MalformedMessage {
  return new MalformedMessage('a message ends within a field')
}
