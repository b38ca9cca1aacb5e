import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClusterKeyFacts, decideClusterKey } from './decide-cluster-key.ts'

const hidden = { kind: 'hidden', because: 'forbidden' } as const
const access: ClusterKeyFacts['access'] = { server: 'https://localhost:6443', ca: 'PEM one' }
const keyOf = (facts: ClusterKeyFacts): string | undefined => {
  const decided = decideClusterKey(facts)
  return decided.kind === 'known' ? decided.key : undefined
}
const first = keyOf({ identity: hidden, access })

test('cluster key: the uid of kube-system, by whatever address', () => {
  const identity = { kind: 'read', uid: 'u-1' } as const
  assert.equal(keyOf({ identity, access }), 'u-1')
  assert.equal(keyOf({ identity, access: { server: 'http://other:1' } }), 'u-1')
})

const rows: readonly [name: string, access: ClusterKeyFacts['access'], want: 'same' | 'another' | RegExp][] =
  [
    ['the same address and authority', { ...access }, 'same'],
    ['the authority from a file', { ...access, ca: Buffer.from('PEM one') }, 'same'],
    ['another authority behind the same address', { ...access, ca: 'PEM two' }, 'another'],
    ['another port', { ...access, server: 'https://localhost:6444' }, 'another'],
    ['another name in the certificate', { ...access, serverName: 'b' }, 'another'],
    ['another proxy', { ...access, proxyUrl: 'http://p' }, 'another'],
    ['a public name and authority', { server: 'https://k8s.example.com' }, 'another'],
    ['no TLS', { server: 'http://localhost:8001' }, /\(forbidden\), and its certificate is not verified$/],
    ['not verified', { server: access.server, isUnverified: true }, /is not verified$/],
    ['an authority of this machine', { server: access.server }, /authority is that of this machine$/],
    ['an empty authority', { ...access, ca: Buffer.alloc(0) }, /authority is that of this machine$/],
  ]
for (const [name, reached, want] of rows) {
  test(`cluster key: without the uid: ${name}`, () => {
    const decided = decideClusterKey({ identity: hidden, access: reached })
    if (want === 'same' || want === 'another') {
      assert.ok(decided.kind === 'known')
      assert.equal(decided.key === first, want === 'same')
    } else {
      assert.ok(decided.kind === 'unknown')
      assert.match(decided.because, want)
    }
  })
}
