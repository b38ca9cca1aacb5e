import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry, Lease, StorageAgreement } from '@strata/api'
import { declaredByFleet } from './declared-by-fleet.ts'

const lease = (name: string, release: string): Lease =>
  ({ metadata: { name, annotations: { 'strata.dev/release': release } } }) as unknown as Lease

type Entry = Pick<AgreementEntry, 'serverID' | 'decodableVersions' | 'isCustom'>
const record = (...servers: readonly Entry[]): StorageAgreement =>
  ({ spec: { group: 'g.dev', resource: 'things' }, status: { servers } }) as unknown as StorageAgreement
const entry = (serverID: string, ...decodableVersions: readonly string[]): Entry => ({
  serverID,
  decodableVersions,
})

const old = entry('a', 'g.dev/v1')
const next = entry('b', 'g.dev/v1', 'g.dev/v2')
const fleet = [lease('a', '0.1.0'), lease('b', '0.2.0'), lease('c', '0.2.0')]
const rows: readonly [name: string, servers: readonly Entry[], want: readonly string[] | undefined][] = [
  ['what all of its servers read', [old, next, entry('c', 'g.dev/v2')], ['g.dev/v2']],
  ['nothing that all of its servers read', [old, next, entry('c', 'g.dev/v3')], []],
  ['one of its servers has no entry: unknown', [old, next], undefined],
  ['none of its servers has an entry', [old], undefined],
  ['a custom resource is read as its definition says', [next, { ...entry('c'), isCustom: true }], undefined],
]
for (const [name, servers, want] of rows) {
  test(`check: a release, by its servers in the fleet: ${name}`, () => {
    const [declared] = declaredByFleet('0.2.0', fleet, [record(...servers)])
    assert.deepEqual(declared?.decodableVersions, want)
  })
}

test('check: no server of the release is part of the fleet: nothing is declared', () => {
  assert.deepEqual(declaredByFleet('0.3.0', fleet, [record(old, next)]), [])
})
