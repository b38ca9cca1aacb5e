import { isRawNumber } from '@strata/api'

/**
 * Fields of protobuf messages, as far as documents need them. A field at its default is left out.
 *
 * Bytes are represented as text, one character each: a nested message is then copied by reference until all is done, while
 * buffers would be copied at every level, and documents are deep.
 */
export type ByteText = string

export function bytesOf(text: ByteText): Buffer {
  return Buffer.from(text, 'latin1')
}

function varint(value: number): ByteText {
  if (value < 0x80) return String.fromCharCode(value)
  return String.fromCharCode((value % 0x80) | 0x80) + varint(Math.floor(value / 0x80))
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what the alphabet begins with.
const ascii = /^[\x00-\x7f]*$/

const encode = (text: string): ByteText => (ascii.test(text) ? text : Buffer.from(text).toString('latin1'))

function delimited(field: number, content: ByteText): ByteText {
  return messageHead(field, content.length) + content
}

/** The head of a message with the given length. */
export function messageHead(field: number, length: number): ByteText {
  return varint(field * 8 + 2) + varint(length)
}

export function textField(field: number, text: unknown): ByteText {
  return typeof text === 'string' && text !== '' ? delimited(field, encode(text)) : ''
}

export function textFields(field: number, texts: unknown): ByteText {
  return Array.isArray(texts) ? texts.map((text) => delimited(field, encode(text))).join('') : ''
}

export function flagField(field: number, isSet: unknown): ByteText {
  return isSet === true ? varint(field * 8) + varint(1) : ''
}

export function countField(field: number, given: unknown): ByteText {
  const count = numberOf(given)
  return count > 0 ? varint(field * 8) + varint(count) : ''
}

export function doubleField(field: number, given: unknown): ByteText {
  const value = numberOf(given)
  if (value === 0) return ''
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return varint(field * 8 + 1) + bytes.toString('latin1')
}

/** Also for numbers that are kept as source text. */
function numberOf(value: unknown): number {
  if (isRawNumber(value)) return Number(value.rawJSON)
  return typeof value === 'number' ? value : 0
}

/** A nested message; it is written even if it is empty. */
export function messageField(field: number, parts: readonly ByteText[]): ByteText {
  return delimited(field, parts.join(''))
}
