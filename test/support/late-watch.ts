import type { ChangeBatch, Store } from '@strata/server/store'
import { AsyncQueue, chance, integer, type Random, sleep } from '@strata/world'
import { nodeClock } from '@strata/world/node'

/** Far more than a test ever leaves under way. */
const UNDER_WAY = 1_000_000

/**
 * The same store, whose watches tell late: each batch is under way for as long as `latenessMs` says, and never
 * overtakes another. Reads and commits are as true and as fast as ever, which is what makes a server that trusts its
 * watch answer from the past.
 */
export function withLateWatch(store: Store, latenessMs: () => number): Store {
  return {
    read: (keys, signal) => store.read(keys, signal),
    list: (range, signal) => store.list(range, signal),
    currentRevision: (signal) => store.currentRevision(signal),
    commit: (commit, signal) => store.commit(commit, signal),
    watch: (prefix, after, signal) => late(store.watch(prefix, after, signal), latenessMs, signal),
    compact: (revision, signal) => store.compact(revision, signal),
    close: () => store.close(),
  }
}

async function* late(
  batches: AsyncIterable<ChangeBatch>,
  latenessMs: () => number,
  signal: AbortSignal,
): AsyncGenerator<ChangeBatch, void> {
  const underWay = new AsyncQueue<{ readonly batch: ChangeBatch; readonly dueMs: number }>({
    limit: UNDER_WAY,
  })
  const send = async (): Promise<void> => {
    for await (const batch of batches) {
      if (underWay.closed) return
      underWay.push({ batch, dueMs: nodeClock.monotonicMs() + latenessMs() })
    }
    underWay.close()
  }
  send().catch((error: unknown) => underWay.fail(error))
  for await (const { batch, dueMs } of underWay) {
    const waitMs = dueMs - nodeClock.monotonicMs()
    if (waitMs > 0) await sleep(nodeClock, waitMs, signal).catch(() => {})
    if (signal.aborted) return
    yield batch
  }
}

/** Mostly a few milliseconds; sometimes many; now and then longer than a reader waits before it moves the watch itself. */
export function uneasyLatenessMs(random: Random): () => number {
  return () => {
    if (chance(random, 0.0005)) return 250 + integer(random, 100)
    return chance(random, 0.01) ? 20 + integer(random, 40) : 1 + integer(random, 5)
  }
}
