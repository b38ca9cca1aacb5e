/** The only place that interprets a failed call to etcd. Many failures differ only in their text, so it matches text. */

/** The gRPC status codes that this client distinguishes. */
export const GRPC = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  outOfRange: 11,
  unimplemented: 12,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
} as const

/** A call to one endpoint failed: by its answer, or without one. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  /** False only with certainty: the peer has not seen the request and never will. */
  readonly sent: boolean
  constructor(code: number, message: string, sent: boolean, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.sent = sent
  }
}

export type Verdict =
  /** Certainly not begun, for a reason that another endpoint may not share. */
  | 'not-begun'
  /** Certainly nothing was written, and no endpoint will answer differently for now. */
  | 'overloaded'
  /** Certainly nothing was written, and the same request will be refused again. */
  | 'rejected'
  | 'compacted'
  | 'future'
  /** The quota is exhausted. The transaction may have happened: see below. */
  | 'out-of-space'
  /** It may have happened. Everything that is not known to be harmless counts as this. */
  | 'unknown'

/**
 * Read in the sources of etcd 3.4.23, 3.4.45, 3.5.33 and 3.6.9: which errors `KV.Txn` answers, and whether it does so
 * before it proposes the transaction (`processInternalRaftRequestOnce`).
 *
 * `database space exceeded` comes from three places, and the answer does not say from which:
 * 1. `quotaKVServer`, before the proposal;
 * 2. `applierV3Capped`, once the alarm is raised: nothing is applied;
 * 3. `quotaApplierV3`, which applies the transaction first and then answers this, as long as the alarm is not raised.
 */
const BY_MESSAGE: ReadonlyMap<string, Verdict> = new Map([
  ['etcdserver: mvcc: required revision has been compacted', 'compacted'],
  ['etcdserver: mvcc: required revision is a future revision', 'future'],
  // By the interceptor, before the request is handled, because we send `hasleader`. A timeout for want of a leader
  // has other texts and other meaning: by then the proposal is under way.
  ['etcdserver: no leader', 'not-begun'],
  // Also by the interceptor: this member has not caught up with the cluster, or does not take writes.
  ['etcdserver: not capable', 'not-begun'],
  ['etcdserver: rpc not supported for learner', 'not-begun'],
  // Before the proposal.
  ['etcdserver: too many requests', 'overloaded'],
  ['etcdserver: request is too large', 'rejected'],
  ['etcdserver: mvcc: database space exceeded', 'out-of-space'],
])

/**
 * A transaction gets these for its form or its credentials: before it is proposed, or when it is applied, where every
 * member checks both before it writes anything and comes to the same result. Not `failedPrecondition`: the two errors
 * of that code that a transaction can get are named above.
 */
const REJECTED_CODES: ReadonlySet<number> = new Set([
  GRPC.invalidArgument,
  GRPC.permissionDenied,
  GRPC.unimplemented,
  GRPC.unauthenticated,
])

export function classify(error: RpcError): Verdict {
  if (!error.sent) return 'not-begun'
  return BY_MESSAGE.get(error.message) ?? (REJECTED_CODES.has(error.code) ? 'rejected' : 'unknown')
}

/** The advice for a full etcd. */
export const OUT_OF_SPACE =
  'etcd has used up its quota; free space with `etcdctl compact`, `etcdctl defrag` on every member and `etcdctl alarm disarm`, or raise --quota-backend-bytes'
