import {
  type BackoffPolicy,
  backoffMs,
  type Clock,
  jitter,
  type Log,
  type Random,
  sleep,
} from '@strata/world'
import { RevisionCompacted, StoreReplaced, StoreUnavailable } from '../errors.ts'
import { prefixEnd } from '../key-order.ts'
import type { Change, ChangeBatch, Entry, Key, Revision } from '../store.ts'
import { classify, GRPC, RpcError } from './classify-error.ts'
import type { EtcdClient } from './client.ts'
import { observeCompactedRevision } from './compacted-revision.ts'
import { decodeWatch, FIRST_KEY, NO_END, type WatchResponse } from './etcd-messages.ts'
import { WatchCollector } from './watch-collector.ts'

export interface WatchContext {
  readonly client: EtcdClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Waits between resumptions; the number of attempts is ignored, because a watch tries until it is ended. */
  readonly retry: BackoffPolicy
}

/**
 * Every change under `prefix` after `after`, over as many connections as it takes. A batch holds whole revisions, and the
 * unfinished part of one is lost with its connection, so resuming after the last batch neither skips nor repeats.
 *
 * Each watch has a gRPC stream of its own. etcd would take several on one stream, but then a slow reader would hold back all
 * others on it; with a stream each, HTTP/2's flow control is the back-pressure, and ending the stream is all the cleanup. The
 * price is a few goroutines in etcd per watch, and the server keeps few: one feeds the whole cache.
 *
 * etcd's progress notifications are not requested: those of 3.4 may run ahead of events still to come. Consequently a watch that
 * received nothing for longer than two compactions cannot resume, and throws `RevisionCompacted`. A caller that needs progress
 * writes a key under the prefix now and then.
 */
export async function* watchPrefix(
  context: WatchContext,
  prefix: Key,
  after: Revision,
  signal: AbortSignal,
): AsyncGenerator<ChangeBatch, void, void> {
  const { client, clock, random, log, retry } = context
  // A controller of its own: the two signals outlive the watch, and must not keep listeners of it.
  const over = new AbortController()
  const end = (): void => over.abort()
  const parents = [signal, client.closing]
  for (const parent of parents) parent.addEventListener('abort', end, { once: true })
  if (parents.some(({ aborted }) => aborted)) end()
  let seen = after
  let last: Change | undefined
  try {
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        for await (const batch of watchOnce(client, prefix, { seen, last }, over.signal)) {
          seen = batch.revision
          last = batch.changes.at(-1)
          failures = 0
          yield batch
        }
      } catch (error) {
        // Only a broken connection is retried. A closed store breaks connections, too.
        if (error instanceof StoreReplaced) throw error
        if (!(error instanceof RpcError || error instanceof StoreUnavailable)) throw error
        if (!over.signal.aborted) log.info('etcd watch interrupted', { prefix, seen, because: error.message })
      }
      if (signal.aborted) return
      if (client.closing.aborted) throw new StoreUnavailable('the store is closed')
      const delayMs = jitter(random, backoffMs(retry, failures), 0.25)
      await sleep(clock, delayMs, over.signal).catch(() => {})
    }
  } finally {
    for (const parent of parents) parent.removeEventListener('abort', end)
  }
}

/** Where a watch resumes, and its last change; undefined if it has received none yet. */
interface Resumed {
  readonly seen: Revision
  readonly last: Change | undefined
}

async function* watchOnce(
  client: EtcdClient,
  prefix: Key,
  { seen, last }: Resumed,
  over: AbortSignal,
): AsyncGenerator<ChangeBatch, void, void> {
  const range = { key: prefix || FIRST_KEY, rangeEnd: prefixEnd(prefix) ?? NO_END }
  const stream = await client.watch({ ...range, startRevision: seen + 1 }, over)
  const collector = new WatchCollector()
  try {
    for (let message = await stream.next(); message; message = await stream.next()) {
      const response = decodeWatch(message)
      if (response.canceled) throw cancellation(response, seen)
      if (response.created) {
        if (last) await confirmTimeline(client, last, over)
        await confirmHistory(client, seen, over)
      }
      const batch = collector.take(response.events, response.fragment)
      if (batch) yield batch
    }
  } finally {
    stream.close()
  }
}

/**
 * Checks that the state before the first change of a watch is still readable. Otherwise:
 *
 * 1. Revision 10 is a deletion. etcd is compacted to 10, which forgets the deletion.
 * 2. A watch asks for everything after 9. etcd accepts it, because 10 is its oldest revision.
 * 3. The watch omits the deletion.
 */
async function confirmHistory(client: EtcdClient, seen: Revision, signal: AbortSignal): Promise<void> {
  if (seen === 0) return
  try {
    await client.range({ key: FIRST_KEY, countOnly: true, revision: seen }, signal)
  } catch (error) {
    const verdict = error instanceof RpcError ? classify(error) : undefined
    // A member that lags behind, or a caller that is ahead: the watch waits for that revision.
    if (verdict === 'future') return
    if (verdict !== 'compacted') throw error
    throw new RevisionCompacted(seen, await observeCompactedRevision(client, seen, signal))
  }
}

/**
 * Checks that a resumed watch continues in the history that it has seen. Otherwise (docs/design/agreement.md, rule 19):
 *
 * 1. etcd is restored from a backup, and written to until it has passed the revision of this watch.
 * 2. The watch continues from there.
 * 3. Its readers keep changes that never happened, and miss changes that did.
 */
async function confirmTimeline(client: EtcdClient, last: Change, signal: AbortSignal): Promise<void> {
  const { key, revision } = last
  const lost = (): StoreReplaced => new StoreReplaced(`the change of ${key} at revision ${revision} is gone`)
  const at = async (asked: Revision): Promise<Entry | undefined> => {
    const { entries } = await client.range({ key, revision: asked }, signal)
    return entries[0]
  }
  try {
    if (!isChange(last, await at(revision))) throw lost()
    // A key that never existed is absent, too: a deletion is recognized by the entry before it.
    if (last.kind === 'delete' && !(await at(revision - 1))) throw lost()
  } catch (error) {
    const verdict = error instanceof RpcError ? classify(error) : undefined
    if (verdict === 'future') throw lost()
    if (verdict !== 'compacted') throw error
    // Compacted history cannot be compared: the caller reads everything anew.
    throw new RevisionCompacted(revision, await observeCompactedRevision(client, revision, signal))
  }
}

function isChange(change: Change, entry: Entry | undefined): boolean {
  if (change.kind === 'delete') return entry === undefined
  return entry?.revision === change.revision && Buffer.compare(entry.value, change.value) === 0
}

function cancellation({ compactRevision, cancelReason }: WatchResponse, seen: Revision): Error {
  if (compactRevision > 0) return new RevisionCompacted(seen, compactRevision)
  return new RpcError(GRPC.unavailable, `etcd ended the watch: ${cancelReason || 'no reason given'}`, true)
}
