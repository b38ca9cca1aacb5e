/**
 * Decides which webhooks are called again: those with reinvocationPolicy IfNeeded, if another webhook changed the object after
 * their call. There is one more round, and not a third.
 */
export class Reinvocation {
  readonly #asked = new Set<string>()
  readonly #again = new Set<string>()
  #wasChanged = false

  /** Whether another round is needed. */
  get isNeeded(): boolean {
    return this.#wasChanged && this.#again.size > 0
  }

  isWanted(id: string): boolean {
    return this.#again.has(id)
  }

  /** Records a call. A webhook's own change does not require calling it again. */
  note(id: string, change: { readonly changed: boolean; readonly wantsAgain: boolean }): void {
    if (change.changed) {
      this.#wasChanged = true
      for (const each of this.#asked) this.#again.add(each)
      this.#asked.clear()
    }
    if (change.wantsAgain) this.#asked.add(id)
  }
}
