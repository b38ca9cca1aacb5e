import type { Entry, Key, Revision } from '../store/index.ts'

export type StoredValue = Pick<Entry, 'key' | 'value' | 'revision'>

/** How many values of each sort are kept. One that can be opened is enough to have all of them read again. */
const mostKept = 1_000

/**
 * Values that could not be opened: somebody may answer again, or a key may come. Those that somebody did not answer for are
 * kept apart from the rest. Otherwise: a thousand objects of a key that is gone for good leave no room, and what a KMS that is
 * back could open stays closed.
 */
export class SealedValues {
  readonly #passing = new Map<Key, StoredValue>()
  readonly #lasting = new Map<Key, StoredValue>()

  get size(): number {
    return this.#passing.size + this.#lasting.size
  }

  get hasPassing(): boolean {
    return this.#passing.size > 0
  }

  get passing(): readonly StoredValue[] {
    return [...this.#passing.values()]
  }

  get all(): readonly StoredValue[] {
    return [...this.#passing.values(), ...this.#lasting.values()]
  }

  note(stored: StoredValue, isPassing: boolean): void {
    const { key, revision } = stored
    const noted = this.#find(key)
    // Somebody who reads the past.
    if (noted && noted.revision > revision) return
    this.#forget(key)
    const kept = isPassing ? this.#passing : this.#lasting
    if (kept.size < mostKept) kept.set(key, stored)
  }

  /** Something that can be read is there since, or nothing: whoever watches is told of that by the change itself. */
  passed(key: Key, revision: Revision): void {
    const noted = this.#find(key)
    if (noted && noted.revision < revision) this.#forget(key)
  }

  /** Whether this very value is still waited for. */
  has(stored: StoredValue): boolean {
    return this.#find(stored.key)?.revision === stored.revision
  }

  /** It can be opened. False if nobody waits for it any more. */
  take(stored: StoredValue): boolean {
    if (!this.has(stored)) return false
    this.#forget(stored.key)
    return true
  }

  #find(key: Key): StoredValue | undefined {
    return this.#passing.get(key) ?? this.#lasting.get(key)
  }

  #forget(key: Key): void {
    this.#passing.delete(key)
    this.#lasting.delete(key)
  }
}
