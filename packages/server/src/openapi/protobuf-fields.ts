import { isRawNumber } from '@strata/api'

/** Fields of protobuf messages, as much of the format as documents need. A field at its default is left out. */

const nothing = Buffer.alloc(0)

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest > 0x7f) {
    bytes.push((rest % 0x80) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  return Buffer.from([...bytes, rest])
}

function delimited(field: number, content: Buffer): Buffer {
  return Buffer.concat([varint(field * 8 + 2), varint(content.length), content])
}

/** What stands before a message of so many bytes. */
export function messageHead(field: number, length: number): Buffer {
  return Buffer.concat([varint(field * 8 + 2), varint(length)])
}

export function textField(field: number, text: unknown): Buffer {
  return typeof text === 'string' && text !== '' ? delimited(field, Buffer.from(text)) : nothing
}

export function textFields(field: number, texts: unknown): Buffer {
  return Array.isArray(texts)
    ? Buffer.concat(texts.map((text) => delimited(field, Buffer.from(text))))
    : nothing
}

export function flagField(field: number, isSet: unknown): Buffer {
  return isSet === true ? Buffer.concat([varint(field * 8), varint(1)]) : nothing
}

export function countField(field: number, given: unknown): Buffer {
  const count = numberOf(given)
  return count > 0 ? Buffer.concat([varint(field * 8), varint(count)]) : nothing
}

export function doubleField(field: number, given: unknown): Buffer {
  const value = numberOf(given)
  if (value === 0) return nothing
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return Buffer.concat([varint(field * 8 + 1), bytes])
}

/** Of numbers that were kept as they were written, too. */
function numberOf(value: unknown): number {
  if (isRawNumber(value)) return Number(value.rawJSON)
  return typeof value === 'number' ? value : 0
}

/** A message inside of another; it is there even when it is empty. */
export function messageField(field: number, parts: readonly Buffer[]): Buffer {
  return delimited(field, Buffer.concat(parts))
}
