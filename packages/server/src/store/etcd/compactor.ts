import { type Clock, type Log, sleep } from '@strata/world'
import { OutcomeUnknown, RevisionInFuture, StoreReplaced, StoreUnavailable } from '../errors.ts'
import type { Key } from '../store.ts'
import { type CompactionMemory, decideCompaction } from './decide-compaction.ts'
import type { EtcdStore } from './etcd-store.ts'

export interface CompactorOptions {
  readonly store: EtcdStore
  readonly clock: Clock
  readonly log: Log
  /** 0: never, because another program compacts. */
  readonly intervalMs: number
}

const COMPACT_REVISION_KEY: Key = 'compact_rev_key'

const noMemory: CompactionMemory = { logicalTime: 0, revision: 0 }

/**
 * Compacts history that is older than one to two intervals, however many servers share the etcd: each interval, the first to swap
 * `compact_rev_key` compacts. Ends when the signal is aborted.
 *
 * The key is kube-apiserver's and lies outside `/registry`. So each swap moves etcd's revision without a change that a watch of
 * the prefix could see; a read barrier that waits for its watch to reach the newest revision must move the prefix itself (the
 * tick key of docs/design/agreement.md, rule 6).
 */
export async function startCompactor(options: CompactorOptions, signal: AbortSignal): Promise<void> {
  const { clock, log, intervalMs } = options
  if (intervalMs === 0) return
  let memory = noMemory
  for (;;) {
    await sleep(clock, intervalMs, signal).catch(() => {})
    if (signal.aborted) return
    try {
      memory = await takeTurn(options.store, memory, log, signal)
    } catch (error) {
      if (signal.aborted) return
      // Restored from a backup: the memory belongs to the old timeline.
      if (error instanceof RevisionInFuture || error instanceof StoreReplaced) memory = noMemory
      // Otherwise nothing to repair: the memory stands, and the next turn finds out which server moved the clock.
      else if (!(error instanceof StoreUnavailable || error instanceof OutcomeUnknown)) throw error
      log.warn('compaction failed; old revisions stay until the next try', {
        error: error.message,
        intervalMs,
      })
    }
  }
}

/** One turn of the protocol. Returns the memory for the next. */
export async function takeTurn(
  store: EtcdStore,
  memory: CompactionMemory,
  log: Log,
  signal: AbortSignal,
): Promise<CompactionMemory> {
  const value = new TextEncoder().encode(`${memory.revision}`)
  const { succeeded, revision, ranges } = await store.client.txn(
    {
      compares: [{ key: COMPACT_REVISION_KEY, target: 'version', equals: memory.logicalTime }],
      success: [{ kind: 'put', key: COMPACT_REVISION_KEY, value }],
      failure: [{ kind: 'range', range: { key: COMPACT_REVISION_KEY } }],
    },
    signal,
  )
  const logicalTime = ranges[0]?.versions[0] ?? 0
  const { compactTo, next } = decideCompaction(memory, { won: succeeded, logicalTime, revision })
  if (compactTo !== undefined) {
    await store.compact(compactTo, signal)
    log.info('compacted etcd', { revision: compactTo })
  }
  return next
}
