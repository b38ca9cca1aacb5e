import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aggregatedIdentityLabelValue,
  hasServerName,
  identityLabel,
  identityLabelValue,
  isAggregatedLease,
  isIdentityLease,
  isServerLease,
} from './identity-lease.ts'
import type { Lease } from './lease.ts'
import { isServerOfOrigin, mirroredServerId } from './mirrored-lease.ts'

test('mirrored servers: a name is stable, and another one for each origin and each server', () => {
  const name = mirroredServerId('o-1', 'apiserver-a')
  // Other origins keep their names over releases: this one is stored in aggregators.
  assert.equal(name, 'aggregated-apiserver-achgs6vzicek47x7mbuyt3o234')
  const others = [mirroredServerId('o-2', 'apiserver-a'), mirroredServerId('o-1', 'apiserver-b')]
  assert.equal(new Set([name, ...others]).size, 3)
})

test('mirrored servers: each origin knows its own, and no others', () => {
  const name = mirroredServerId('o-1', 'apiserver-a')
  assert.equal(isServerOfOrigin(name, 'o-1'), true)
  assert.equal(isServerOfOrigin(mirroredServerId('o-1', 'gone'), 'o-1'), true)
  assert.equal(isServerOfOrigin(name, 'o-2'), false)
  assert.equal(isServerOfOrigin('apiserver-a', 'o-1'), false)
})

const lease = (value: string | undefined, namespace = 'kube-system'): Lease => ({
  metadata: { namespace, name: 'x', ...(value === undefined ? {} : { labels: { [identityLabel]: value } }) },
})
const rows: readonly [string, Lease, identity: boolean, aggregated: boolean][] = [
  ['of a server of this fleet', lease(identityLabelValue), true, false],
  ['of an aggregated server', lease(aggregatedIdentityLabelValue), false, true],
  ['with another value', lease('kube-scheduler'), false, false],
  ['without the label', lease(undefined), false, false],
  ['in another namespace', lease(aggregatedIdentityLabelValue, 'default'), false, false],
]
for (const [name, each, identity, aggregated] of rows) {
  test(`a Lease ${name}`, () => {
    assert.deepEqual([isIdentityLease(each), isAggregatedLease(each)], [identity, aggregated])
    assert.equal(isServerLease(each), identity || aggregated)
  })
}

test('the names of servers and of mirrored ones are both where an identity is looked for', () => {
  const named = (name: string, namespace = 'kube-system') => hasServerName({ metadata: { namespace, name } })
  assert.ok(named(mirroredServerId('o', 's')))
  assert.ok(named('apiserver-j3agt6uezsya7e3uhyouvf6bpa'))
  assert.ok(!named('aggregated-apiserver-short'))
  assert.ok(!named(mirroredServerId('o', 's'), 'default'))
})
