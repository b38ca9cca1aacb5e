import { damagedAt } from './damaged-file.ts'
import type { BoltMeta } from './meta-page.ts'
import type { RandomAccess } from './random-access.ts'

/** A page of a tree: a leaf holds keys and values, a branch holds keys and the pages below. */
export interface BoltPage {
  readonly id: number
  /** Where it begins in the file, for messages. */
  readonly offset: number
  readonly kind: 'branch' | 'leaf'
  readonly count: number
  readonly bytes: Buffer
}

export interface LeafElement {
  readonly key: Buffer
  readonly value: Buffer
  readonly isBucket: boolean
}

const headerBytes = 16
const elementBytes = 16
const branchFlag = 0x01
const leafFlag = 0x02
const bucketFlag = 0x01
/** No value of etcd comes near this; a damaged length must not take all memory. */
const mostBytes = 1 << 28

/**
 * One page, or several in a row where its content is longer than a page. `into` is used again for it: a file has a hundred
 * thousand pages, and new buffers would take memory faster than it is freed.
 */
export function readPage(
  file: RandomAccess,
  { pageSize, highWater }: BoltMeta,
  id: number,
  into?: Buffer,
): BoltPage {
  const offset = id * pageSize
  // The first two pages are meta pages.
  if (!Number.isSafeInteger(offset) || id < 2 || id >= highWater)
    throw damagedAt(Math.max(0, offset), `a page number out of range: the file has ${highWater} pages`, id)
  const first = file.read(offset, pageSize, into)
  if (first.length < pageSize) throw damagedAt(offset, 'the file ends within it', id)
  const saidId = Number(first.readBigUInt64LE(0))
  if (saidId !== id) throw damagedAt(offset, `it says that it is page ${saidId}`, id)
  const overflow = first.readUInt32LE(12)
  if (id + overflow >= highWater || (overflow + 1) * pageSize > mostBytes)
    throw damagedAt(offset, `it says ${overflow} more pages, which is too many`, id)
  const bytes = overflow === 0 ? first : file.read(offset, (overflow + 1) * pageSize, into)
  return pageIn(bytes, id, offset)
}

/** A page as it stands in a file, or inside the value of a small bucket. */
export function pageIn(bytes: Buffer, id: number, offset: number): BoltPage {
  if (bytes.length < headerBytes) throw damagedAt(offset, 'it is shorter than the header of a page', id)
  const flags = bytes.readUInt16LE(8)
  if (flags !== branchFlag && flags !== leafFlag)
    throw damagedAt(offset, `a page of a tree was expected, and its type is 0x${flags.toString(16)}`, id)
  const count = bytes.readUInt16LE(10)
  if (headerBytes + count * elementBytes > bytes.length)
    throw damagedAt(offset, `it says ${count} elements, more than fit into ${bytes.length} bytes`, id)
  return { id, offset, kind: flags === leafFlag ? 'leaf' : 'branch', count, bytes }
}

export function leafElement(page: BoltPage, index: number): LeafElement {
  const at = headerBytes + index * elementBytes
  const { bytes } = page
  const start = at + bytes.readUInt32LE(at + 4)
  const keyEnd = start + bytes.readUInt32LE(at + 8)
  const end = keyEnd + bytes.readUInt32LE(at + 12)
  if (end > bytes.length) throw damagedAt(page.offset + at, beyond(index), page.id)
  const isBucket = (bytes.readUInt32LE(at) & bucketFlag) !== 0
  return { key: bytes.subarray(start, keyEnd), value: bytes.subarray(keyEnd, end), isBucket }
}

/** The number of a page below a branch. */
export function childOf(page: BoltPage, index: number): number {
  const at = headerBytes + index * elementBytes
  const { bytes } = page
  const end = at + bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4)
  if (end > bytes.length) throw damagedAt(page.offset + at, beyond(index), page.id)
  return Number(bytes.readBigUInt64LE(at + 8))
}

const beyond = (index: number): string => `element ${index} ends beyond its page`
