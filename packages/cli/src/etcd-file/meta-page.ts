import { DamagedFile } from './damaged-file.ts'
import type { RandomAccess } from './random-access.ts'

/** A state of a bbolt database: which page its tree begins with, and where its pages end. */
export interface BoltMeta {
  readonly pageSize: number
  /** The page of the bucket that holds all other buckets. */
  readonly root: number
  /** One more than the highest page in use. */
  readonly highWater: number
  readonly transaction: bigint
}

const magic = 0xed0cdaed
const formatVersion = 2
const headerBytes = 16
const metaBytes = 64
/** The checksum covers everything before it. */
const checkedBytes = 56
const pageSizes = Array.from({ length: 7 }, (_, power) => 1024 << power)

/**
 * The newest state that is intact. Every transaction of bbolt writes one of the two meta pages in turn, so one of them may be half
 * written after a crash.
 */
export function readMeta(file: RandomAccess): BoltMeta {
  const first = metaAt(file, 0)
  // The second page begins after the first, whose size only a meta page tells.
  const sizes = first.meta ? [first.meta.pageSize] : pageSizes
  const seconds = sizes.map((size) => metaAt(file, size))
  const found = [first, ...seconds].flatMap(({ meta }) => meta ?? [])
  const [newest] = found.toSorted((a, b) => (a.transaction > b.transaction ? -1 : 1))
  if (newest) return checkExtent(file, newest)
  throw new DamagedFile(
    `no database of etcd: neither meta page is valid (page 0, at byte 0: ${first.problem}); give a file that "etcdctl snapshot save" wrote, or the db file of a member`,
  )
}

function checkExtent(file: RandomAccess, meta: BoltMeta): BoltMeta {
  const needed = meta.highWater * meta.pageSize
  if (needed <= file.size) return meta
  throw new DamagedFile(
    `the file is truncated: it ends at byte ${file.size}, in page ${Math.floor(file.size / meta.pageSize)}, and its meta page says ${meta.highWater} pages of ${meta.pageSize} bytes, which is ${needed} bytes`,
  )
}

interface FoundMeta {
  readonly meta?: BoltMeta
  readonly problem?: string
}

function metaAt(file: RandomAccess, offset: number): FoundMeta {
  const bytes = file.read(offset, headerBytes + metaBytes)
  if (bytes.length < headerBytes + metaBytes) return { problem: `the file has only ${file.size} bytes` }
  const meta = bytes.subarray(headerBytes)
  if (meta.readUInt32LE(0) !== magic) return { problem: 'the magic number of bbolt is missing' }
  const version = meta.readUInt32LE(4)
  if (version !== formatVersion) return { problem: `it has the unknown format version ${version}` }
  if (meta.readBigUInt64LE(checkedBytes) !== fnv64a(meta.subarray(0, checkedBytes)))
    return { problem: 'its checksum is wrong' }
  const pageSize = meta.readUInt32LE(8)
  if (!pageSizes.includes(pageSize)) return { problem: `it says pages of ${pageSize} bytes` }
  return {
    meta: {
      pageSize,
      root: Number(meta.readBigUInt64LE(16)),
      highWater: Number(meta.readBigUInt64LE(40)),
      transaction: meta.readBigUInt64LE(48),
    },
  }
}

/** The hash by which bbolt recognizes an intact meta page. */
export function fnv64a(bytes: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return hash
}
