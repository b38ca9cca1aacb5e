import type { protobufMessage } from '@strata/api'

type Message = NonNullable<ReturnType<typeof protobufMessage>>

/** A value as protobuf: the other direction of what the server reads, written from the wire format alone. */
export function encodeMessage(value: Record<string, unknown>, { fields }: Message): Uint8Array {
  const parts: Uint8Array[] = []
  for (const [number, { name, shape, type }] of fields) {
    const field = Object.hasOwn(value, name) ? value[name] : undefined
    if (field === undefined) continue
    const one = (part: unknown): Uint8Array =>
      typeof type === 'string'
        ? encodeScalar(number, type, part)
        : delimited(number, encodeMessage(part as Record<string, unknown>, type()))
    if (shape === 'list') parts.push(...(field as unknown[]).map(one))
    else if (shape === 'map')
      parts.push(...Object.entries(field as object).map((each) => entry(number, type, each)))
    else parts.push(one(field))
  }
  return Buffer.concat(parts)
}

function entry(number: number, type: string | (() => Message), [key, value]: [string, unknown]): Uint8Array {
  const second =
    typeof type === 'string'
      ? encodeScalar(2, type, value)
      : delimited(2, encodeMessage(value as Record<string, unknown>, type()))
  return delimited(number, Buffer.concat([delimited(1, Buffer.from(key)), second]))
}

function encodeScalar(number: number, type: string, value: unknown): Uint8Array {
  switch (type) {
    case 'bool':
      return varintField(number, value === true ? 1n : 0n)
    case 'int32':
    case 'int64':
      return varintField(number, BigInt(Math.trunc(Number(value))))
    case 'double': {
      const eight = Buffer.alloc(8)
      eight.writeDoubleLE(Number(value))
      return Buffer.concat([tag(number, 1), eight])
    }
    case 'bytes':
      return delimited(number, Buffer.from(String(value), 'base64'))
    case 'json':
      return delimited(number, delimited(1, Buffer.from(JSON.stringify(value))))
    default:
      return delimited(number, Buffer.from(String(value)))
  }
}

const tag = (number: number, wireType: number): Uint8Array => varint(BigInt(number * 8 + wireType))
const delimited = (number: number, inner: Uint8Array): Uint8Array =>
  Buffer.concat([tag(number, 2), varint(BigInt(inner.length)), inner])
const varintField = (number: number, value: bigint): Uint8Array =>
  Buffer.concat([tag(number, 0), varint(BigInt.asUintN(64, value))])

function varint(value: bigint): Uint8Array {
  const made: number[] = []
  let rest = value
  for (; rest >= 0x80n; rest >>= 7n) made.push(Number(rest & 0x7fn) | 0x80)
  return Buffer.from([...made, Number(rest)])
}
