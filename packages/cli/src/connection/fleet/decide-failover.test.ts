import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterIdentity } from './cluster-identity.ts'
import { decideFailover, type FailoverQuestion } from './decide-failover.ts'

const read = (uid: string): ClusterIdentity => ({ kind: 'read', uid })
const hidden: ClusterIdentity = { kind: 'hidden', because: 'forbidden' }
const same: FailoverQuestion = { used: read('u-1'), other: read('u-1'), isNamed: false }

const cases: readonly [name: string, seen: Partial<FailoverQuestion>, want: true | RegExp][] = [
  ['the same uid is the same cluster', {}, true],
  ['another uid is another cluster', { other: read('u-2') }, /another cluster: .* is u-2, not u-1$/],
  ['also if the user named it', { other: read('u-2'), isNamed: true }, /another cluster/],
  ['the other does not say', { other: hidden }, /unknown: the other does not show .* \(forbidden\)$/],
  ['the first did not say', { used: hidden }, /unknown: the first does not show .* \(forbidden\)$/],
  ['the first did not say, and the other was named', { used: hidden, isNamed: true }, /unknown: the first/],
  ['the first never answered, and the other was only found', { used: undefined }, /^no server of the first/],
  ['the first never answered, and the user named both', { used: undefined, isNamed: true }, true],
  [
    'the same, and the other does not say',
    { used: undefined, other: hidden, isNamed: true },
    /the other does/,
  ],
]
for (const [name, seen, want] of cases) {
  test(`failover to another context: ${name}`, () => {
    const decision = decideFailover({ ...same, ...seen })
    assert.equal(decision.use, want === true)
    if (want !== true && !decision.use) assert.match(decision.because, want)
  })
}
