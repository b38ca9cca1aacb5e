/**
 * Bodies that can be made again on demand. A client that reads the documents of all kinds must not make the server keep all of
 * them: beyond the limit, the least recently used are dropped.
 */
export class DocumentShelf<Key> {
  readonly #limitBytes: number
  /** In the order of use, the latest last. */
  readonly #bodies = new Map<Key, Uint8Array>()
  #bytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get(key: Key, make: () => Uint8Array): Uint8Array {
    const body = this.#bodies.get(key) ?? make()
    this.drop(key)
    this.#bodies.set(key, body)
    this.#bytes += body.length
    for (const oldest of this.#bodies.keys()) {
      if (this.#bytes <= this.#limitBytes || oldest === key) break
      this.drop(oldest)
    }
    return body
  }

  drop(key: Key): void {
    this.#bytes -= this.#bodies.get(key)?.length ?? 0
    this.#bodies.delete(key)
  }
}
