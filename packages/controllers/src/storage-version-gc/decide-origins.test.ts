import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Lease, mirroredServerId, originsText, type StorageVersion } from '@strata/api'
import { decideOrigins, type OriginsDecision } from './decide-origins.ts'

const named = (origin: string) => ({ ...{ origin, recordUID: 'r', epoch: 1, resourceVersion: '1' } })
const object = (origins: readonly string[], ...servers: readonly string[]): StorageVersion => ({
  metadata: { name: 'x.y', annotations: { 'strata.dev/origins': originsText(origins.map(named)) } },
  spec: {},
  status: {
    storageVersions: servers.map((apiServerID) => ({
      ...{ apiServerID, encodingVersion: 'v1', decodableVersions: ['v1'] },
    })),
  },
})
const lease = (origin: string, value = 'aggregated-apiserver'): Lease => ({
  metadata: {
    namespace: 'kube-system',
    labels: { 'apiserver.kubernetes.io/identity': value, 'strata.dev/origin': origin },
  },
})
const of = (origin: string): string => mirroredServerId(origin, 's')

const cases: readonly [string, StorageVersion, readonly Lease[], OriginsDecision['do']][] = [
  ['none is named', object([]), [], 'nothing'],
  ['with entries and Leases', object(['o'], of('o')), [lease('o')], 'nothing'],
  ['named, and its entries come next', object(['o']), [lease('o')], 'nothing'],
  // The entries go first, under the rules for entries.
  ['without a Lease, and its entries are there yet', object(['o'], of('o')), [], 'nothing'],
  ['one of two has gone', object(['o', 'p'], of('p')), [lease('p')], 'write'],
  ['both have gone', object(['o', 'p']), [], 'delete'],
  ['it has gone, and a server of another make is left', object(['o'], 'other'), [], 'write'],
  [
    'a Lease of a server of this fleet is none of an origin',
    object(['o']),
    [lease('o', 'kube-apiserver')],
    'delete',
  ],
  ['an object of a client that has no entry stays', { metadata: {}, spec: {}, status: {} }, [], 'nothing'],
]
for (const [name, stored, leases, want] of cases) {
  test(`origins: ${name}: ${want}`, () => assert.equal(decideOrigins(stored, leases).do, want))
}

test('origins: the others stay named', () => {
  const decision = decideOrigins(object(['o', 'p'], of('p')), [lease('p')])
  assert.deepEqual(decision.do === 'write' && decision.origins, [named('p')])
})
