import assert from 'node:assert/strict'
import { OutcomeUnknown, StoreUnavailable, type WriteFault } from '../errors.ts'
import type { Key, Revision, Store } from '../store.ts'
import { bytes } from './harness.ts'

/** Plain data, so that another process can say it. */
export interface Told {
  readonly told: 'committed' | 'nothing-written' | 'unknown'
  readonly revision?: Revision
  readonly fault?: WriteFault | undefined
  readonly message?: string
}

/**
 * What a store told the callers of their commits, while it failed in some way, and whether that was true. Each commit
 * creates a key of its own, so that the key shows what became of it.
 */
export class Claims {
  readonly #prefix: Key
  readonly #told = new Map<Key, Told>()
  #next = 0

  constructor(prefix: Key) {
    this.#prefix = prefix
  }

  /** Creates one key and remembers what it was told. Throws what is neither a claim nor an outcome. */
  async create(store: Store, signal: AbortSignal, value: Uint8Array = bytes('x')): Promise<Told> {
    const key = `${this.#prefix}${this.#next++}`
    const told = await tell(store, key, value, signal)
    this.record(key, told)
    return told
  }

  /** What somebody else was told. */
  record(key: Key, told: Told): void {
    this.#told.set(key, told)
  }

  count(told: Told['told']): number {
    return this.all(told).length
  }

  all(told: Told['told']): Told[] {
    return [...this.#told.values()].filter((each) => each.told === told)
  }

  /** Asked of the store when the fault is over. */
  async check(store: Store, signal: AbortSignal): Promise<void> {
    const { entries } = await store.list({ prefix: this.#prefix }, signal)
    const stored = new Map(entries.map(({ key, revision }) => [key, revision]))
    for (const [key, told] of this.#told) {
      if (told.told === 'committed') assert.equal(stored.get(key), told.revision, `${key} is lost`)
      if (told.told === 'nothing-written') {
        assert.equal(stored.get(key), undefined, `"${told.message}" was said of ${key}, and it is stored`)
      }
    }
  }
}

export async function tell(store: Store, key: Key, value: Uint8Array, signal: AbortSignal): Promise<Told> {
  try {
    const outcome = await store.commit(
      { writes: [{ kind: 'put', key, value }], guards: [{ key, revision: 'absent' }] },
      signal,
    )
    // The adapter never sends a commit twice, so that nobody else can have written the key.
    if (outcome.outcome === 'refused') return assert.fail(`${key} was written before it was asked for`)
    return { told: 'committed', revision: outcome.revision }
  } catch (error) {
    if (!(error instanceof StoreUnavailable || error instanceof OutcomeUnknown)) throw error
    const { fault, message } = error
    return { told: error instanceof StoreUnavailable ? 'nothing-written' : 'unknown', fault, message }
  }
}
