/**
 * Who is asked a second time. Webhooks that want it are, if somebody changed the object after they had been asked; there
 * is one more round and not a third.
 */
export class Reinvocation {
  readonly #asked = new Set<string>()
  readonly #again = new Set<string>()
  #wasChanged = false

  /** Whether there is to be another round at all. */
  get isNeeded(): boolean {
    return this.#wasChanged && this.#again.size > 0
  }

  isWanted(id: string): boolean {
    return this.#again.has(id)
  }

  /** After a webhook was asked. A change of its own is none that it has to see again. */
  note(id: string, change: { readonly changed: boolean; readonly wantsAgain: boolean }): void {
    if (change.changed) {
      this.#wasChanged = true
      for (const each of this.#asked) this.#again.add(each)
      this.#asked.clear()
    }
    if (change.wantsAgain) this.#asked.add(id)
  }
}
