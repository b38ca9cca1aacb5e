import type { Entry, Key, Revision } from '../store/index.ts'

export type StoredValue = Pick<Entry, 'key' | 'value' | 'revision'>

/** How many values of each sort are kept. One that can be opened is enough to read all of them again. */
const mostKept = 1_000

/**
 * Values that could not be opened: a KMS may answer again, or a key may be added. Values whose KMS did not answer are kept apart.
 * Otherwise: a thousand objects of a lost key leave no room, and values that a recovered KMS could open stay closed.
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
    // A read of the past.
    if (noted && noted.revision > revision) return
    this.#forget(key)
    const kept = isPassing ? this.#passing : this.#lasting
    if (kept.size < mostKept) kept.set(key, stored)
  }

  /** The key has a readable value since, or is deleted: watchers get that change itself. */
  passed(key: Key, revision: Revision): void {
    const noted = this.#find(key)
    if (noted && noted.revision < revision) this.#forget(key)
  }

  /** Whether this very value is still kept. */
  has(stored: StoredValue): boolean {
    return this.#find(stored.key)?.revision === stored.revision
  }

  /** The value can be opened. False if it is no longer kept. */
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
