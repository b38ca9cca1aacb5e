import { type BoltPage, childOf, type LeafElement, leafElement, pageIn, readPage } from './bolt-page.ts'
import { damagedAt } from './damaged-file.ts'
import type { BoltMeta } from './meta-page.ts'
import type { RandomAccess } from './random-access.ts'

/** A sorted tree of keys and values. */
export interface BoltBucket {
  /** From the last key to the first. An element is overwritten by the next one. */
  backwards(): Generator<LeafElement, void>
}

/** A bucket as the value of its name: the page of its tree, and a counter. A small bucket has its only page right after it. */
const bucketHeaderBytes = 16

/** The bucket of that name at the top of the database; undefined if there is none. */
export function openBucket(file: RandomAccess, meta: BoltMeta, name: string): BoltBucket | undefined {
  for (const { key, value, isBucket } of walkBackwards(file, meta, readPage(file, meta, meta.root))) {
    if (!isBucket || key.toString('latin1') !== name) continue
    return { backwards: () => walkBackwards(file, meta, rootOf(file, meta, value)) }
  }
  return undefined
}

function rootOf(file: RandomAccess, meta: BoltMeta, value: Buffer): BoltPage {
  const offset = meta.root * meta.pageSize
  if (value.length < bucketHeaderBytes) throw damagedAt(offset, 'a bucket has no header', meta.root)
  const root = Number(value.readBigUInt64LE(0))
  if (root !== 0) return readPage(file, meta, root)
  return pageIn(value.subarray(bucketHeaderBytes), meta.root, offset)
}

/**
 * Holds one page per level. Damaged files may link pages in circles: a tree has fewer pages than the file, and its keys descend
 * strictly, so the walk ends.
 */
function* walkBackwards(file: RandomAccess, meta: BoltMeta, root: BoltPage): Generator<LeafElement, void> {
  const path = [{ page: root, left: root.count }]
  let pages = 1
  let before: Buffer | undefined
  /** The buffer of each level is used again for the next page of that level. */
  const buffers: Buffer[] = []
  for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
    if (at.left === 0) {
      path.pop()
      continue
    }
    at.left--
    if (at.page.kind === 'branch') {
      const id = childOf(at.page, at.left)
      if (++pages > meta.highWater)
        throw damagedAt(id * meta.pageSize, 'its tree has more pages than the file: they form a circle', id)
      const level = path.length
      const page = readPage(file, meta, id, buffers[level])
      buffers[level] = longer(buffers[level], page.bytes)
      path.push({ page, left: page.count })
      continue
    }
    const element = leafElement(at.page, at.left)
    if (before !== undefined && Buffer.compare(element.key, before) >= 0)
      throw damagedAt(at.page.offset, 'its keys are not in order', at.page.id)
    before = Buffer.from(element.key)
    yield element
  }
}

const longer = (one: Buffer | undefined, other: Buffer): Buffer =>
  one && one.length >= other.length ? one : other
