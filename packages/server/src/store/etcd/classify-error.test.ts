import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classify, GRPC, RpcError, type Verdict } from './classify-error.ts'

const cases: ReadonlyArray<[message: string, code: number, want: Verdict]> = [
  ['etcdserver: mvcc: required revision has been compacted', GRPC.outOfRange, 'compacted'],
  ['etcdserver: mvcc: required revision is a future revision', GRPC.outOfRange, 'future'],
  ['etcdserver: no leader', GRPC.unavailable, 'not-begun'],
  ['etcdserver: too many requests', GRPC.resourceExhausted, 'overloaded'],
  ['etcdserver: mvcc: database space exceeded', GRPC.resourceExhausted, 'out-of-space'],
  // etcd 3.4 and 3.5 answer the next two as unavailable, 3.6 as a failed precondition.
  ['etcdserver: rpc not supported for learner', GRPC.failedPrecondition, 'not-begun'],
  ['etcdserver: rpc not supported for learner', GRPC.unavailable, 'not-begun'],
  ['etcdserver: not capable', GRPC.unavailable, 'not-begun'],
  ['etcdserver: request is too large', GRPC.invalidArgument, 'rejected'],
  ['etcdserver: duplicate key given in txn request', GRPC.invalidArgument, 'rejected'],
  ['etcdserver: permission denied', GRPC.permissionDenied, 'rejected'],
  ['etcdserver: request timed out', GRPC.unavailable, 'unknown'],
  ['etcdserver: request timed out, possibly due to previous leader failure', GRPC.unavailable, 'unknown'],
  ['etcdserver: request timed out, possibly due to connection lost', GRPC.unavailable, 'unknown'],
  ['etcdserver: leader changed', GRPC.unavailable, 'unknown'],
  ['etcdserver: server stopped', GRPC.unavailable, 'unknown'],
  ['etcdserver: invalid auth token', GRPC.unauthenticated, 'rejected'],
  ['unknown service etcdserverpb.KV', GRPC.unimplemented, 'rejected'],
  ['a precondition that etcd does not name today', GRPC.failedPrecondition, 'unknown'],
  ['raft proposal dropped', GRPC.unknown, 'unknown'],
  ['a text that etcd does not use today', GRPC.unavailable, 'unknown'],
]
for (const [message, code, want] of cases) {
  test(`etcd's "${message}" with code ${code} means ${want}`, () => {
    assert.equal(classify(new RpcError(code, message, true)), want)
  })
}

test('an unsent request was not begun, whatever the error', () => {
  assert.equal(classify(new RpcError(GRPC.unavailable, 'connection refused', false)), 'not-begun')
  assert.equal(classify(new RpcError(GRPC.cancelled, 'cancelled before it was sent', false)), 'not-begun')
})
