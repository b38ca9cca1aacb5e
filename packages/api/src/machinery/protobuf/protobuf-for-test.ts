/** Builds messages by hand, right or wrong. */

export function varint(value: number | bigint): number[] {
  let rest = BigInt.asUintN(64, BigInt(value))
  const bytes: number[] = []
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  return [...bytes, Number(rest)]
}

export const tag = (field: number, wireType: number): number[] => varint(field * 8 + wireType)

export const integer = (field: number, value: number | bigint): number[] => [
  ...tag(field, 0),
  ...varint(value),
]

export function delimited(field: number, content: string | readonly number[]): number[] {
  const bytes = typeof content === 'string' ? [...new TextEncoder().encode(content)] : content
  return [...tag(field, 2), ...varint(bytes.length), ...bytes]
}

/** A map's entry. */
export const entry = (field: number, key: string, value: string | readonly number[]): number[] =>
  delimited(field, [...delimited(1, key), ...delimited(2, value)])

export const envelope = (apiVersion: string, kind: string, raw: readonly number[]): Uint8Array =>
  Uint8Array.from([
    ...[0x6b, 0x38, 0x73, 0],
    ...delimited(1, [...delimited(1, apiVersion), ...delimited(2, kind)]),
    ...delimited(2, raw),
    ...delimited(3, ''),
    ...delimited(4, ''),
  ])
