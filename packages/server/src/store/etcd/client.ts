import type { Revision } from '../store.ts'
import type { Cluster, Repeatable } from './cluster.ts'
import {
  decodeRange,
  decodeTxn,
  encodeCompaction,
  encodeRange,
  encodeTxn,
  encodeWatchCreate,
  type RangeRequest,
  type RangeResponse,
  type TxnRequest,
  type TxnResponse,
  type WatchCreate,
} from './etcd-messages.ts'
import type { MessageStream } from './message-stream.ts'

/** Typed calls of etcd, including those that the store interface lacks (versions of keys, for the compactor). */
export class EtcdClient {
  readonly #cluster: Cluster

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  async range(range: RangeRequest, signal: AbortSignal): Promise<RangeResponse> {
    return decodeRange(
      await this.#cluster.call('/etcdserverpb.KV/Range', encodeRange(range), 'always', signal),
    )
  }

  async txn(txn: TxnRequest, signal: AbortSignal): Promise<TxnResponse> {
    const writes = [...txn.success, ...txn.failure].some(({ kind }) => kind !== 'range')
    const repeatable: Repeatable = writes ? 'once' : 'always'
    return decodeTxn(await this.#cluster.call('/etcdserverpb.KV/Txn', encodeTxn(txn), repeatable, signal))
  }

  async compact(revision: Revision, signal: AbortSignal): Promise<void> {
    await this.#cluster.call('/etcdserverpb.KV/Compact', encodeCompaction(revision), 'always', signal)
  }

  /** A stream with one watch on it: see etcd-watch.ts for why not several. */
  watch(create: WatchCreate, signal: AbortSignal): Promise<MessageStream> {
    return this.#cluster.stream('/etcdserverpb.Watch/Watch', encodeWatchCreate(create), signal)
  }

  /** Aborted when the connection is closed. */
  get closing(): AbortSignal {
    return this.#cluster.closing
  }
}
