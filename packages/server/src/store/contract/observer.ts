import assert from 'node:assert/strict'
import type { Change, ChangeBatch, Key, Revision, Store } from '../store.ts'

/** Takes batches and checks each against the promises of a watch. */
export class Observer {
  readonly changes: Change[] = []
  readonly batches: ChangeBatch[] = []
  readonly #prefix: Key
  readonly #breaks: boolean
  #seen: Revision

  constructor(prefix: Key, after: Revision, breaks = false) {
    this.#prefix = prefix
    this.#seen = after
    this.#breaks = breaks
  }

  /** Everything up to here has been seen. */
  get revision(): Revision {
    return this.#seen
  }

  take(batch: ChangeBatch): void {
    this.batches.push(batch)
    let last = this.#seen
    for (const change of batch.changes) {
      assert.ok(change.key.startsWith(this.#prefix), `${change.key} is outside ${this.#prefix}`)
      assert.ok(change.revision <= batch.revision, 'a change is newer than its batch')
      if (this.#breaks && change.revision === this.#seen) continue
      assert.ok(change.revision > this.#seen, `revision ${change.revision} after ${this.#seen} was complete`)
      assert.ok(change.revision >= last, `revision ${change.revision} comes after ${last}`)
      last = change.revision
      this.changes.push(change)
    }
    assert.ok(batch.revision >= this.#seen, `progress went back from ${this.#seen} to ${batch.revision}`)
    this.#seen = batch.revision
  }
}

interface Watching {
  readonly store: Store
  readonly prefix: Key
  readonly after: Revision
  readonly signal: AbortSignal
  readonly breaks?: boolean | undefined
}

/** Watches until `enough` returns true, and returns the changes. */
export async function observeUntil(
  { store, prefix, after, signal, breaks }: Watching,
  enough: (observer: Observer) => boolean,
): Promise<Observer> {
  const observer = new Observer(prefix, after, breaks)
  for await (const batch of store.watch(prefix, after, signal)) {
    observer.take(batch)
    if (enough(observer)) return observer
  }
  throw new Error(`the watch ended at revision ${observer.revision}`)
}

/** `kind key value` in short, for comparison with a list of expected ones. */
export function brief(changes: readonly Change[], prefix: Key): string[] {
  return changes.map((change) => {
    const key = change.key.slice(prefix.length)
    return change.kind === 'put' ? `${key}=${new TextDecoder().decode(change.value)}` : `${key} gone`
  })
}
