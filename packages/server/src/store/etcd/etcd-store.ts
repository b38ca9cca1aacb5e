import type { BackoffPolicy, Clock, Log, Random } from '@strata/world'
import { checkCommit } from '../check-commit.ts'
import {
  OutcomeUnknown,
  RevisionCompacted,
  RevisionInFuture,
  StoreReplaced,
  StoreUnavailable,
} from '../errors.ts'
import { compareKeys, prefixEnd } from '../key-order.ts'
import type {
  ChangeBatch,
  Commit,
  CommitOutcome,
  Entry,
  Key,
  Page,
  Range,
  Reading,
  Revision,
  Store,
} from '../store.ts'
import { classify, RpcError } from './classify-error.ts'
import { EtcdClient } from './client.ts'
import { Cluster } from './cluster.ts'
import { observeCompactedRevision } from './compacted-revision.ts'
import { FIRST_KEY, NO_END, type RangeResponse } from './etcd-messages.ts'
import { toOutcome, toTxn } from './etcd-transaction.ts'
import { type WatchContext, watchPrefix } from './etcd-watch.ts'
import type { EtcdTls } from './open-socket.ts'
import type { SessionTiming } from './session.ts'

export interface EtcdStoreOptions {
  /** URLs, as in `--etcd-servers`. All must be members of one cluster. */
  readonly endpoints: readonly string[]
  readonly tls?: EtcdTls | undefined
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly timing?: Partial<SessionTiming>
  readonly retry?: BackoffPolicy
  /** Aborting this gives up waiting for the store to open. */
  readonly opening?: AbortSignal
}

export interface EtcdStore extends Store {
  /** For calls that only etcd has, such as the compactor's. */
  readonly client: EtcdClient
}

/** A peer that stops answering is noticed within 3 to 4.5 s of a request, and 7 s if there is only a watch. */
const TIMING: SessionTiming = { connectMs: 2_000, silenceMs: 1_500, pingGapMs: 5_500, answerMs: 1_500 }

/** About four seconds in all: longer than etcd needs to elect a leader. */
const RETRY: BackoffPolicy = { firstMs: 50, maxMs: 1_000, attempts: 8 }

/** etcd's default limit of operations per transaction is 128. */
const KEYS_PER_READ = 120

/** Opens a store over etcd. Throws `StoreUnavailable` if no endpoint answers. */
export async function createEtcdStore(options: EtcdStoreOptions): Promise<EtcdStore> {
  const { endpoints, tls, clock, random, log } = options
  const timing = { ...TIMING, ...options.timing }
  const retry = options.retry ?? RETRY
  const cluster = new Cluster({ endpoints, tls, clock, random, log, timing, retry })
  const client = new EtcdClient(cluster)
  const store = new EtcdStoreOverCluster(cluster, { client, clock, random, log, retry })
  const giveUp = (): void => void store.close()
  options.opening?.addEventListener('abort', giveUp, { once: true })
  if (options.opening?.aborted) giveUp()
  try {
    await store.currentRevision(cluster.closing)
    return store
  } catch (error) {
    await store.close()
    throw error
  } finally {
    options.opening?.removeEventListener('abort', giveUp)
  }
}

class EtcdStoreOverCluster implements EtcdStore {
  readonly client: EtcdClient
  readonly #cluster: Cluster
  readonly #watching: WatchContext

  constructor(cluster: Cluster, watching: WatchContext) {
    this.client = watching.client
    this.#cluster = cluster
    this.#watching = watching
  }

  read(keys: readonly Key[], signal: AbortSignal): Promise<Reading> {
    return this.#ask(() => this.#read(keys, signal))
  }

  async #read(keys: readonly Key[], signal: AbortSignal): Promise<Reading> {
    const [only] = keys
    if (only === undefined) return { revision: await this.#revision(signal), entries: [] }
    if (keys.length === 1) {
      const { revision, entries } = await this.client.range({ key: only }, signal)
      return { revision, entries: [entries[0]] }
    }
    const first = await this.#readTogether(keys.slice(0, KEYS_PER_READ), undefined, signal)
    const entries = [...first.entries]
    // More than fits into one transaction: the remaining keys are read at the revision of the first.
    for (let at = KEYS_PER_READ; at < keys.length; at += KEYS_PER_READ) {
      const more = await this.#readTogether(keys.slice(at, at + KEYS_PER_READ), first.revision, signal)
      entries.push(...more.entries)
    }
    return { revision: first.revision, entries }
  }

  async #readTogether(keys: readonly Key[], at: Revision | undefined, signal: AbortSignal): Promise<Reading> {
    const success = keys.map((key) => ({ kind: 'range' as const, range: { key, revision: at } }))
    const { revision, ranges } = await this.client.txn({ compares: [], success, failure: [] }, signal)
    return { revision, entries: ranges.map(({ entries }): Entry | undefined => entries[0]) }
  }

  list(range: Range, signal: AbortSignal): Promise<Page> {
    return this.#ask(() => this.#list(range, signal))
  }

  async #list(range: Range, signal: AbortSignal): Promise<Page> {
    const { revision, limit } = range
    const request = {
      key: firstKeyOf(range),
      rangeEnd: prefixEnd(range.prefix) ?? NO_END,
      ...(limit !== undefined && { limit }),
      ...(revision !== undefined && { revision }),
    }
    let read: RangeResponse
    try {
      read = await this.client.range(request, signal)
    } catch (error) {
      throw revision === undefined ? error : await this.#explain(error, revision, signal)
    }
    const { entries, count } = read
    return { revision: revision ?? read.revision, entries, remaining: count - entries.length }
  }

  currentRevision(signal: AbortSignal): Promise<Revision> {
    return this.#ask(() => this.#revision(signal))
  }

  /** Counts a key that cannot be there: the cheapest question whose answer carries a linearizable revision. */
  async #revision(signal: AbortSignal): Promise<Revision> {
    const { revision } = await this.client.range({ key: FIRST_KEY, countOnly: true }, signal)
    return revision
  }

  async commit(commit: Commit, signal: AbortSignal): Promise<CommitOutcome> {
    checkCommit(commit)
    this.#checkReplaced()
    try {
      return toOutcome(commit, await this.client.txn(toTxn(commit), signal))
    } catch (error) {
      if (error instanceof StoreReplaced) this.#cluster.takeReplacement()
      if (error instanceof StoreUnavailable || error instanceof OutcomeUnknown) throw error
      // etcd has answered, but the answer cannot be decoded.
      throw new OutcomeUnknown(`the commit may have happened: ${error}`, { cause: error })
    }
  }

  async *watch(prefix: Key, after: Revision, signal: AbortSignal): AsyncGenerator<ChangeBatch, void, void> {
    this.#checkReplaced()
    try {
      yield* watchPrefix(this.#watching, prefix, after, signal)
    } catch (error) {
      if (error instanceof StoreReplaced) this.#cluster.takeReplacement()
      throw error
    }
  }

  /** Readers must learn of a replacement that the compactor met (docs/design/agreement.md, rule 19). */
  #checkReplaced(): void {
    const replacement = this.#cluster.takeReplacement()
    if (replacement) throw replacement
  }

  async #ask<T>(act: () => Promise<T>): Promise<T> {
    this.#checkReplaced()
    try {
      const answer = await act()
      // The call went to one cluster, and the other answered.
      this.#checkReplaced()
      return answer
    } catch (error) {
      if (error instanceof StoreReplaced) this.#cluster.takeReplacement()
      throw error
    }
  }

  async compact(revision: Revision, signal: AbortSignal): Promise<void> {
    try {
      await this.client.compact(revision, signal)
    } catch (error) {
      // Another server was faster; the compaction is done.
      if (error instanceof RpcError && classify(error) === 'compacted') return
      throw await this.#explain(error, revision, signal)
    }
  }

  async close(): Promise<void> {
    await this.#cluster.close()
  }

  /** etcd says that a revision is too old or too new, but not the limit. */
  async #explain(error: unknown, asked: Revision, signal: AbortSignal): Promise<unknown> {
    if (!(error instanceof RpcError)) return error
    const verdict = classify(error)
    if (verdict === 'compacted') {
      return new RevisionCompacted(asked, await observeCompactedRevision(this.client, asked, signal))
    }
    if (verdict === 'future') return new RevisionInFuture(asked, await this.#revision(signal))
    return error
  }
}

/** The smallest key of the range; `\0` separates a key from its successor. */
function firstKeyOf({ prefix, after }: Range): Key {
  if (after !== undefined && compareKeys(after, prefix) >= 0) return `${after}\0`
  return prefix || FIRST_KEY
}
