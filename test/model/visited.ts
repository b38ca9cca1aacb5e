import { wordsPerState } from './packing.ts'

const chunkBits = 18
const chunkSize = 2 ** chunkBits

/**
 * The states that were met, each once, in the order in which they were met: the exact words of each, never only a hash.
 * That order is also the queue of a search that goes nearest first, so there is no other one.
 */
export class VisitedStates {
  readonly #chunks: Uint32Array[] = []
  readonly #origins: Int32Array[] = []
  /** The place of a state, plus one, by its hash; the next free cell if that one is taken. */
  #cells = new Uint32Array(2 ** 16)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Whether the state is new. It was reached from the one at `origin`. */
  add(words: Uint32Array, origin: number): boolean {
    const cell = this.#cellOf(words)
    if (this.#cells[cell] !== 0) return false
    const place = this.#size++
    this.#cells[cell] = place + 1
    this.#chunkOf(place).set(words, (place & (chunkSize - 1)) * wordsPerState)
    const origins = this.#origins[place >>> chunkBits] as Int32Array
    origins[place & (chunkSize - 1)] = origin
    // Half full at most: a longer search for a free cell costs more than the memory.
    if (this.#size * 2 > this.#cells.length) this.#grow()
    return true
  }

  read(place: number, words: Uint32Array): void {
    const chunk = this.#chunks[place >>> chunkBits] as Uint32Array
    const start = (place & (chunkSize - 1)) * wordsPerState
    for (let word = 0; word < wordsPerState; word++) words[word] = chunk[start + word] as number
  }

  /** Where the state at that place was reached from; -1 for the first one. */
  originOf(place: number): number {
    return this.#origins[place >>> chunkBits]?.[place & (chunkSize - 1)] ?? -1
  }

  #chunkOf(place: number): Uint32Array {
    const index = place >>> chunkBits
    const known = this.#chunks[index]
    if (known) return known
    const chunk = new Uint32Array(chunkSize * wordsPerState)
    this.#chunks.push(chunk)
    this.#origins.push(new Int32Array(chunkSize))
    return chunk
  }

  /** The cell of an equal state, or the free one where it belongs. */
  #cellOf(words: Uint32Array): number {
    const mask = this.#cells.length - 1
    let cell = hashOf(words, 0) & mask
    for (;;) {
      const place = this.#cells[cell] as number
      if (place === 0 || this.#isAt(place - 1, words)) return cell
      cell = (cell + 1) & mask
    }
  }

  #isAt(place: number, words: Uint32Array): boolean {
    const chunk = this.#chunks[place >>> chunkBits] as Uint32Array
    const start = (place & (chunkSize - 1)) * wordsPerState
    for (let word = 0; word < wordsPerState; word++) if (chunk[start + word] !== words[word]) return false
    return true
  }

  #grow(): void {
    this.#cells = new Uint32Array(this.#cells.length * 2)
    const mask = this.#cells.length - 1
    for (let place = 0; place < this.#size; place++) {
      const chunk = this.#chunks[place >>> chunkBits] as Uint32Array
      let cell = hashOf(chunk, (place & (chunkSize - 1)) * wordsPerState) & mask
      while (this.#cells[cell] !== 0) cell = (cell + 1) & mask
      this.#cells[cell] = place + 1
    }
  }
}

/** Mixes every bit of every word into the low bits, which choose the cell. */
function hashOf(words: Uint32Array, start: number): number {
  let hash = 0
  for (let word = start; word < start + wordsPerState; word++) {
    hash = Math.imul(hash ^ (words[word] as number), 0x9e3779b1)
    hash ^= hash >>> 15
  }
  hash = Math.imul(hash, 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}
