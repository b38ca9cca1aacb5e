import { createHash } from 'node:crypto'
import { fnv64a } from './meta-page.ts'

/** A change of a key; without a value it was deleted. */
export interface Change {
  readonly key: string
  readonly value?: string | Uint8Array
}

const pageSize = 4096
const elementBytes = 16

/**
 * A database as etcd writes it, made here from the format alone: two meta pages, a root, and a bucket `key` with one revision per
 * change. Leaves have at most `perLeaf` revisions, so that there are branches; a long value spills over several pages.
 */
export function boltFile(
  changes: readonly Change[],
  { perLeaf = 3, bucket = 'key' }: { readonly perLeaf?: number; readonly bucket?: string } = {},
): Buffer {
  const pages = new Map<number, Buffer>()
  let next = 3
  const place = (bytes: Buffer): number => {
    const id = next
    bytes.writeBigUInt64LE(BigInt(id), 0)
    const extra = Math.ceil(bytes.length / pageSize) - 1
    bytes.writeUInt32LE(extra, 12)
    pages.set(id, bytes)
    next += extra + 1
    return id
  }
  const elements = changes.map(({ key, value }, index) => revision(index + 2, key, value))
  let level = chunks(elements, perLeaf).map((part) => ({ key: part[0]?.[0] ?? empty, id: place(leaf(part)) }))
  while (level.length > 1) {
    level = chunks(level, 3).map((part) => ({ key: part[0]?.key ?? empty, id: place(branch(part)) }))
  }
  const top = level[0]?.id ?? place(leaf([]))
  // `meta` is small, so its page stands inside of its value.
  const inline = Buffer.concat([Buffer.alloc(16), leaf([[Buffer.from('consistent_index'), Buffer.alloc(8)]])])
  const header = Buffer.alloc(16)
  header.writeBigUInt64LE(BigInt(top), 0)
  const root = place(
    leaf(
      [
        [Buffer.from(bucket), header],
        [Buffer.from('meta'), inline],
      ].toSorted(byKey),
      1,
    ),
  )
  const file = Buffer.alloc(next * pageSize)
  for (const [id, bytes] of pages) bytes.copy(file, id * pageSize)
  meta(root, next, 7n).copy(file, 0)
  meta(root, next, 6n).copy(file, pageSize)
  return file
}

/** As "etcdctl snapshot save" writes it. */
export const withChecksum = (database: Buffer): Buffer =>
  Buffer.concat([database, createHash('sha256').update(database).digest()])

type Pair = [key: Buffer, value: Buffer]

const empty = Buffer.alloc(0)
const byKey = ([a = empty]: readonly Buffer[], [b = empty]: readonly Buffer[]): number => Buffer.compare(a, b)

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  )
}

function revision(main: number, key: string, value: Change['value']): Pair {
  const at = Buffer.alloc(value === undefined ? 18 : 17, 't')
  at.writeBigUInt64BE(BigInt(main), 0)
  at.write('_', 8)
  at.writeBigUInt64BE(0n, 9)
  const parts = [field(1, Buffer.from(key)), ...(value === undefined ? [] : [field(5, Buffer.from(value))])]
  return [at, Buffer.concat(parts)]
}

function field(number: number, bytes: Buffer): Buffer {
  const size: number[] = []
  let rest = bytes.length
  for (; rest > 0x7f; rest >>= 7) size.push((rest & 0x7f) | 0x80)
  return Buffer.concat([Buffer.from([number * 8 + 2, ...size, rest]), bytes])
}

function page(flags: number, count: number, body: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(16)
  header.writeUInt16LE(flags, 8)
  header.writeUInt16LE(count, 10)
  return Buffer.concat([header, ...body])
}

function leaf(pairs: readonly (readonly Buffer[])[], flags = 0): Buffer {
  const heads: Buffer[] = []
  let at = 0
  for (const [index, [key = empty, value = empty]] of pairs.entries()) {
    const head = Buffer.alloc(elementBytes)
    head.writeUInt32LE(flags, 0)
    head.writeUInt32LE((pairs.length - index) * elementBytes + at, 4)
    head.writeUInt32LE(key.length, 8)
    head.writeUInt32LE(value.length, 12)
    heads.push(head)
    at += key.length + value.length
  }
  return page(0x02, pairs.length, [...heads, ...pairs.flat()])
}

function branch(children: readonly { readonly key: Buffer; readonly id: number }[]): Buffer {
  const heads: Buffer[] = []
  let at = 0
  for (const [index, { key, id }] of children.entries()) {
    const head = Buffer.alloc(elementBytes)
    head.writeUInt32LE((children.length - index) * elementBytes + at, 0)
    head.writeUInt32LE(key.length, 4)
    head.writeBigUInt64LE(BigInt(id), 8)
    heads.push(head)
    at += key.length
  }
  return page(0x01, children.length, [...heads, ...children.map(({ key }) => key)])
}

export function meta(root: number, highWater: number, transaction: bigint): Buffer {
  const bytes = Buffer.alloc(80)
  bytes.writeUInt16LE(0x04, 8)
  const body = bytes.subarray(16)
  body.writeUInt32LE(0xed0cdaed, 0)
  body.writeUInt32LE(2, 4)
  body.writeUInt32LE(pageSize, 8)
  body.writeBigUInt64LE(BigInt(root), 16)
  body.writeBigUInt64LE(2n, 32)
  body.writeBigUInt64LE(BigInt(highWater), 40)
  body.writeBigUInt64LE(transaction, 48)
  body.writeBigUInt64LE(fnv64a(body.subarray(0, 56)), 56)
  return bytes
}
