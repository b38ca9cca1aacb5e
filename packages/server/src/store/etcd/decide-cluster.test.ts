import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideCluster } from './decide-cluster.ts'

const [ours, theirs] = [7, 8]
const cases: readonly (readonly [
  name: string,
  known: number | undefined,
  id: number,
  others: readonly (number | undefined)[],
  want: ReturnType<typeof decideCluster>,
])[] = [
  ['the first endpoint says which cluster it is', undefined, ours, [undefined, undefined], 'known'],
  ['the same cluster', ours, ours, [ours, undefined], 'known'],
  ['the only endpoint is of another cluster', ours, theirs, [], 'replaced'],
  ['all endpoints are of another cluster', ours, theirs, [theirs, theirs], 'replaced'],
  ['one of several is of another cluster', ours, theirs, [ours, ours], 'foreign'],
  ['one is of another cluster while ours is down', ours, theirs, [undefined, undefined], 'foreign'],
  ['not all have been asked yet', ours, theirs, [theirs, undefined], 'foreign'],
  ['each is of another one', ours, theirs, [9, theirs], 'foreign'],
]
for (const [name, known, id, others, want] of cases) {
  test(`etcd cluster: ${name}`, () => assert.equal(decideCluster(known, id, others), want))
}
