import assert from 'node:assert/strict'
import { OutcomeUnknown, StoreUnavailable } from '../errors.ts'
import type { Key, Revision, Store } from '../store.ts'
import { bytes } from './harness.ts'

type Told =
  | { readonly told: 'committed'; readonly revision: Revision }
  | { readonly told: 'nothing-written'; readonly error: StoreUnavailable }
  | { readonly told: 'unknown'; readonly error: OutcomeUnknown }

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
    this.#told.set(key, told)
    return told
  }

  count(told: Told['told']): number {
    return this.errors(told).length
  }

  errors(told: Told['told']): (Error | undefined)[] {
    return [...this.#told.values()]
      .filter((each) => each.told === told)
      .map((each) => ('error' in each ? each.error : undefined))
  }

  /** Asked of the store when the fault is over. */
  async check(store: Store, signal: AbortSignal): Promise<void> {
    const { entries } = await store.list({ prefix: this.#prefix }, signal)
    const stored = new Map(entries.map(({ key, revision }) => [key, revision]))
    for (const [key, told] of this.#told) {
      if (told.told === 'committed') assert.equal(stored.get(key), told.revision, `${key} is lost`)
      if (told.told === 'nothing-written') {
        assert.equal(
          stored.get(key),
          undefined,
          `"${told.error.message}" was said of ${key}, and it is stored`,
        )
      }
    }
  }
}

async function tell(store: Store, key: Key, value: Uint8Array, signal: AbortSignal): Promise<Told> {
  try {
    const outcome = await store.commit(
      { writes: [{ kind: 'put', key, value }], guards: [{ key, revision: 'absent' }] },
      signal,
    )
    // The adapter never sends a commit twice, so that nobody else can have written the key.
    if (outcome.outcome === 'refused') return assert.fail(`${key} was written before it was asked for`)
    return { told: 'committed', revision: outcome.revision }
  } catch (error) {
    if (error instanceof StoreUnavailable) return { told: 'nothing-written', error }
    if (error instanceof OutcomeUnknown) return { told: 'unknown', error }
    throw error
  }
}
