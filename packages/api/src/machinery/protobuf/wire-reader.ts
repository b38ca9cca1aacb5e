/** A decoding error, in the words of upstream's decoder. */
export class MalformedProtobuf extends Error {
  override readonly name = 'MalformedProtobuf'
}

export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const

// A byte order mark is part of the text, as it is for Go.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const shortText = 48
const twoTo32 = 2 ** 32

interface RawJson {
  rawJSON?(text: string): unknown
}

/**
 * Walks over the fields of one message and never beyond its end, whatever the bytes say: a length is checked before it
 * is believed, a varint has ten bytes at most, and every step moves forward.
 */
export class WireReader {
  readonly #bytes: Uint8Array
  readonly #end: number
  #at: number
  // The halves of the varint read last; a JavaScript number could not hold all of it.
  #low = 0
  #high = 0
  field: number = 0
  wireType: number = 0

  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    this.#bytes = bytes
    this.#at = start
    this.#end = end
  }

  /** Goes to the next field of `message`, or says that there is none. */
  next(message: string): boolean {
    if (this.#at >= this.#end) return false
    this.#readVarint()
    this.wireType = this.#low & 7
    this.field = (this.#high << 29) | (this.#low >>> 3) | 0
    if (this.wireType === wireTypes.endGroup) {
      throw new MalformedProtobuf(`proto: ${message}: wiretype end group for non-group`)
    }
    if (this.field <= 0) {
      throw new MalformedProtobuf(
        `proto: ${message}: illegal tag ${this.field} (wire type ${this.#high * twoTo32 + this.#low})`,
      )
    }
    return true
  }

  boolean(): boolean {
    this.#readVarint()
    return (this.#low | this.#high) !== 0
  }

  int32(): number {
    this.#readVarint()
    return this.#low | 0
  }

  /** A number, or its digits as raw JSON where a number would lose some of them. */
  int64(): unknown {
    const value = this.int64AsNumber()
    if (Number.isSafeInteger(value)) return value
    const digits = BigInt.asIntN(64, (BigInt(this.#high) << 32n) | BigInt(this.#low)).toString()
    return (JSON as RawJson).rawJSON?.(digits) ?? value
  }

  /** For values that are checked to be small anyway. */
  int64AsNumber(): number {
    this.#readVarint()
    return (this.#high | 0) * twoTo32 + this.#low
  }

  double(): number {
    const start = this.#take(8)
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset + start, 8).getFloat64(0, true)
  }

  /** Shares the memory of the message. */
  bytes(): Uint8Array {
    const start = this.#delimited()
    return this.#bytes.subarray(start, this.#at)
  }

  text(): string {
    const start = this.#delimited()
    const length = this.#at - start
    return (
      (length <= shortText ? this.#ascii(start) : undefined) ??
      utf8.decode(this.#bytes.subarray(start, this.#at))
    )
  }

  /** Most texts are short and plain, and for those asking the decoder would be most of the work. */
  #ascii(start: number): string | undefined {
    let text = ''
    for (let at = start; at < this.#at; at++) {
      const byte = this.#bytes[at] as number
      if (byte >= 0x80) return undefined
      text += String.fromCharCode(byte)
    }
    return text
  }

  /** The message that is this field's value. */
  message(): WireReader {
    const start = this.#delimited()
    return new WireReader(this.#bytes, start, this.#at)
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end
  }

  /** Skips a value that is not needed; a group with all that is in it. */
  skip(): void {
    let depth = 0
    for (let type = this.wireType; ; type = this.#low & 7) {
      switch (type) {
        case wireTypes.varint:
          this.#readVarint()
          break
        case wireTypes.fixed64:
          this.#take(8)
          break
        case wireTypes.bytes:
          this.#delimited()
          break
        case wireTypes.startGroup:
          depth++
          break
        case wireTypes.endGroup:
          depth--
          break
        case wireTypes.fixed32:
          this.#take(4)
          break
        default:
          throw new MalformedProtobuf(`proto: illegal wireType ${type}`)
      }
      if (depth === 0) return
      this.#readVarint()
    }
  }

  #readVarint(): void {
    this.#low = 0
    this.#high = 0
    for (let shift = 0; shift < 64; shift += 7) {
      if (this.#at >= this.#end) throw unexpectedEnd()
      const byte = this.#bytes[this.#at++] as number
      const bits = byte & 0x7f
      if (shift < 28) this.#low |= bits << shift
      else if (shift === 28) {
        this.#low |= bits << 28
        this.#high |= bits >>> 4
      } else this.#high |= bits << (shift - 32)
      if (byte < 0x80) {
        this.#low >>>= 0
        this.#high >>>= 0
        return
      }
    }
    throw new MalformedProtobuf('proto: integer overflow')
  }

  #delimited(): number {
    this.#readVarint()
    if (this.#high >= 0x80000000) {
      throw new MalformedProtobuf('proto: negative length found during unmarshaling')
    }
    return this.#take(this.#high * twoTo32 + this.#low)
  }

  #take(size: number): number {
    if (size > this.#end - this.#at) throw unexpectedEnd()
    const start = this.#at
    this.#at += size
    return start
  }
}

function unexpectedEnd(): MalformedProtobuf {
  return new MalformedProtobuf('unexpected EOF')
}
