import assert from 'node:assert/strict'
import { OutcomeUnknown, StoreUnavailable, type WriteFault } from '../errors.ts'
import type { Key, Revision, Store } from '../store.ts'
import { bytes } from './harness.ts'

/** The outcome that a store reported for a commit. Plain data, so that another process can send it. */
export interface CommitClaim {
  readonly outcome: 'committed' | 'nothing-written' | 'unknown'
  readonly revision?: Revision
  readonly fault?: WriteFault | undefined
  readonly message?: string
}

/**
 * Records the outcomes that a failing store reported, and checks them afterwards. Each commit creates a key of its own, so that
 * the key shows the real outcome.
 */
export class Claims {
  readonly #prefix: Key
  readonly #claims = new Map<Key, CommitClaim>()
  #next = 0

  constructor(prefix: Key) {
    this.#prefix = prefix
  }

  /** Creates one key and records the reported outcome. Throws every other error. */
  async create(store: Store, signal: AbortSignal, value: Uint8Array = bytes('x')): Promise<CommitClaim> {
    const key = `${this.#prefix}${this.#next++}`
    const claim = await commitNew(store, key, value, signal)
    this.record(key, claim)
    return claim
  }

  /** Records an outcome that another process received. */
  record(key: Key, claim: CommitClaim): void {
    this.#claims.set(key, claim)
  }

  count(outcome: CommitClaim['outcome']): number {
    return this.all(outcome).length
  }

  all(outcome: CommitClaim['outcome']): CommitClaim[] {
    return [...this.#claims.values()].filter((each) => each.outcome === outcome)
  }

  /** Compares the outcomes with the store when the fault is over. */
  async check(store: Store, signal: AbortSignal): Promise<void> {
    const { entries } = await store.list({ prefix: this.#prefix }, signal)
    const stored = new Map(entries.map(({ key, revision }) => [key, revision]))
    for (const [key, claim] of this.#claims) {
      if (claim.outcome === 'committed') assert.equal(stored.get(key), claim.revision, `${key} is lost`)
      if (claim.outcome === 'nothing-written') {
        assert.equal(stored.get(key), undefined, `"${claim.message}" was said of ${key}, and it is stored`)
      }
    }
  }
}

export async function commitNew(
  store: Store,
  key: Key,
  value: Uint8Array,
  signal: AbortSignal,
): Promise<CommitClaim> {
  try {
    const outcome = await store.commit(
      { writes: [{ kind: 'put', key, value }], guards: [{ key, revision: 'absent' }] },
      signal,
    )
    // The adapter never sends a commit twice, so no other commit can have written the key.
    if (outcome.outcome === 'refused') return assert.fail(`${key} was written before it was asked for`)
    return { outcome: 'committed', revision: outcome.revision }
  } catch (error) {
    if (!(error instanceof StoreUnavailable || error instanceof OutcomeUnknown)) throw error
    const { fault, message } = error
    return { outcome: error instanceof StoreUnavailable ? 'nothing-written' : 'unknown', fault, message }
  }
}
