/** Encodings of stored objects in other versions, from their metadata on; each is kept as long as the stored bytes. */
export class ConvertedTails {
  readonly #byStored = new WeakMap<Uint8Array, Map<string, Uint8Array>>()

  get(stored: Uint8Array, apiVersion: string): Uint8Array | undefined {
    return this.#byStored.get(stored)?.get(apiVersion)
  }

  keep(stored: Uint8Array, apiVersion: string, tail: Uint8Array): Uint8Array {
    const tails = this.#byStored.get(stored) ?? new Map<string, Uint8Array>()
    // A copy: a slice of Node's buffer pool would keep the whole pool alive.
    const own = new Uint8Array(tail)
    this.#byStored.set(stored, tails.set(apiVersion, own))
    return own
  }
}
