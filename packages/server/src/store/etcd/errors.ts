/**
 * The one place that knows what a failed call to etcd means. etcd tells many failures apart only by their
 * text, so text is matched here, and nowhere else.
 */

/** The gRPC status codes that somebody here tells apart. */
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

/** A call to one endpoint failed: by its answer, or for want of one. */
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
  /** Certainly nothing was written, and no endpoint will have it otherwise for now. */
  | 'overloaded'
  /** Certainly nothing was written, and the same request will be refused again. */
  | 'rejected'
  | 'compacted'
  | 'future'
  /** It may have happened. Everything that is not known to be harmless is this. */
  | 'unknown'

const BY_MESSAGE: ReadonlyMap<string, Verdict> = new Map([
  ['etcdserver: mvcc: required revision has been compacted', 'compacted'],
  ['etcdserver: mvcc: required revision is a future revision', 'future'],
  // Answered before the request is proposed, because we send `hasleader`. A timeout for want of a leader
  // has other texts and other meaning: by then the proposal is under way.
  ['etcdserver: no leader', 'not-begun'],
  ['etcdserver: too many requests', 'overloaded'],
  ['etcdserver: mvcc: database space exceeded', 'overloaded'],
  ['etcdserver: request is too large', 'rejected'],
])

/** etcd answers these on looking at the request, or when applying it without effect. */
const REJECTED_CODES: ReadonlySet<number> = new Set([
  GRPC.invalidArgument,
  GRPC.permissionDenied,
  GRPC.failedPrecondition,
  GRPC.unimplemented,
  GRPC.unauthenticated,
])

export function classify(error: RpcError): Verdict {
  if (!error.sent) return 'not-begun'
  return BY_MESSAGE.get(error.message) ?? (REJECTED_CODES.has(error.code) ? 'rejected' : 'unknown')
}
