import { checkCommit } from '../check-commit.ts'
import { StoreUnavailable } from '../errors.ts'
import type { ChangeBatch, Key, Revision, Store } from '../store.ts'
import type { MemoryData } from './data.ts'

/** A watcher that is far behind gets its history in batches, so that other work runs in between. */
const changesPerBatch = 1000

/** One connection to the data. Several may be open, as if each belonged to another server. */
export function createMemoryStore(data: MemoryData): Store {
  const closing = new AbortController()

  /** Answers in a later microtask, like any other store, but waits for nothing. */
  async function answer<T>(signal: AbortSignal, action: () => T): Promise<T> {
    if (closing.signal.aborted) throw new StoreUnavailable('the store is closed')
    if (signal.aborted) throw new StoreUnavailable('given up before it began', { cause: signal.reason })
    return action()
  }

  async function* watch(
    prefix: Key,
    after: Revision,
    signal: AbortSignal,
  ): AsyncGenerator<ChangeBatch, void> {
    for (let seen = after; ; ) {
      if (signal.aborted) return
      if (closing.signal.aborted) throw new StoreUnavailable('the store is closed')
      if (data.revision > seen) {
        const batch = data.changesSince(prefix, seen, changesPerBatch)
        seen = batch.revision
        yield batch
      } else {
        await nextChange(data, signal, closing.signal)
      }
    }
  }

  return {
    read: (keys, signal) => answer(signal, () => data.read(keys)),
    list: (range, signal) => answer(signal, () => data.list(range)),
    currentRevision: (signal) => answer(signal, () => data.revision),
    commit: (commit, signal) =>
      answer(signal, () => {
        checkCommit(commit)
        return data.commit(commit)
      }),
    watch,
    compact: (revision, signal) => answer(signal, () => data.compact(revision)),
    close: async () => closing.abort(),
  }
}

/** Resolves at the next change, or when one of the signals is aborted. */
function nextChange(data: MemoryData, ...signals: AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      data.listeners.delete(wake)
      for (const signal of signals) signal.removeEventListener('abort', wake)
      resolve()
    }
    data.listeners.add(wake)
    for (const signal of signals) signal.addEventListener('abort', wake)
  })
}
