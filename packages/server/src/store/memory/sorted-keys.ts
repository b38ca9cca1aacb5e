import { compareKeys, sortsNatively } from '../key-order.ts'
import type { Key } from '../store.ts'

const blockSize = 512

/**
 * Keys in order. Kept in blocks, so that an insertion moves one block's keys instead of all of them.
 */
export class SortedKeys {
  readonly #blocks: Key[][] = []
  // Comparing natively is several times as fast, and right as long as all stored keys sort natively: another key differs from
  // them first either below U+D800, or by being greater in both orders.
  #compare: (a: Key, b: Key) => number = compareNatively

  add(key: Key): void {
    if (this.#compare === compareNatively && !sortsNatively(key)) this.#compare = compareKeys
    const last = this.#blocks.at(-1)
    if (last === undefined) {
      this.#blocks.push([key])
      return
    }
    const at = Math.min(this.#blockOf(key), this.#blocks.length - 1)
    const block = this.#blocks[at] ?? last
    const index = this.#indexIn(block, key)
    if (block[index] === key) return
    block.splice(index, 0, key)
    if (block.length > blockSize) this.#blocks.splice(at + 1, 0, block.splice(blockSize / 2))
  }

  remove(key: Key): void {
    const at = this.#blockOf(key)
    const block = this.#blocks[at]
    if (block === undefined) return
    const index = this.#indexIn(block, key)
    if (block[index] !== key) return
    block.splice(index, 1)
    if (block.length === 0) this.#blocks.splice(at, 1)
  }

  /** The keys with this prefix, from `from` on, in order. The keys must not change meanwhile. */
  *withPrefix(prefix: Key, from: Key): Generator<Key, void> {
    const start = this.#compare(from, prefix) > 0 ? from : prefix
    let at = this.#blockOf(start)
    const first = this.#blocks[at]
    let index = first === undefined ? 0 : this.#indexIn(first, start)
    for (let block = first; block !== undefined; block = this.#blocks[++at]) {
      for (; index < block.length; index++) {
        const key = block[index]
        if (key === undefined || !key.startsWith(prefix)) return
        yield key
      }
      index = 0
    }
  }

  /** The first block whose last key is not below `key`. */
  #blockOf(key: Key): number {
    let low = 0
    let high = this.#blocks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const last = this.#blocks[middle]?.at(-1)
      if (last !== undefined && this.#compare(last, key) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The place of the first key that is not below `key`. */
  #indexIn(block: readonly Key[], key: Key): number {
    let low = 0
    let high = block.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const at = block[middle]
      if (at !== undefined && this.#compare(at, key) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

function compareNatively(a: Key, b: Key): number {
  return a < b ? -1 : a > b ? 1 : 0
}
