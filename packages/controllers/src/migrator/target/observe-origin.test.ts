import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@strata/api'
import { AggregatedCluster, things } from '../aggregated-for-test.ts'
import { never } from '../engine-for-test.ts'
import { observeTarget } from './observe-target.ts'
import { targetText } from './target.ts'

const agreedV2 = /^shop\.example\.dev\/v2 \(agreement record, epoch 3\)$/
const forbidden = new ApiError(403, 'Forbidden', 'no')

const hidesMirror = (path: string): ApiError | undefined =>
  path.includes('/storageversions/') ? forbidden : undefined

/** What a client decides; an error is one that it tries again after. */
const rows: readonly [name: string, change: (cluster: AggregatedCluster) => void, wanted: RegExp][] = [
  ['its record is read', () => {}, agreedV2],
  ['its servers do not agree', (each) => set(each, { agreed: undefined }), /^not: they write v1 and v2$/],
  ['the mirror is not needed', (each) => set(each, { mirrored: 'v2' }), agreedV2],
  // The mirror may be old in both ways; the record alone decides.
  ['an old mirror shows v1', (each) => set(each, { mirrored: 'v1' }), agreedV2],
  [
    'a mirror that says v2, where servers do not agree',
    (each) => set(each, { mirrored: 'v2', agreed: undefined }),
    /^not: they write v1 and v2$/,
  ],
  [
    'a mirror that says v2, and the record v1',
    (each) => set(each, { mirrored: 'v2', agreed: 'v1' }),
    /dev\/v1 \(/,
  ],
  [
    'unreachable, with a mirror that says v2',
    (each) => {
      each.mirrored = 'v2'
      each.unreachable()
    },
    /^error 503$/,
  ],
  [
    'only the record is unreachable',
    (each) => {
      each.mirrored = 'v2'
      each.fault = (path) =>
        path.includes('/storageagreements/shop') && !path.includes('strata.dev')
          ? new ApiError(503, '', '')
          : undefined
    },
    /^error 503$/,
  ],
  [
    'the mirror is unreachable',
    (each) => {
      each.fault = (path) => (path.includes('/storageversions/') ? new ApiError(503, '', '') : undefined)
    },
    /^error 503$/,
  ],
  [
    'no right to read the mirror, where it may name a second store',
    (each) => set(each, { listsStorageVersions: true, fault: hidesMirror }),
    /^not: you may not read the StorageVersion shop\.example\.dev\.things/,
  ],
  [
    'no right to read a mirror that the cluster does not have',
    (each) => set(each, { fault: hidesMirror }),
    agreedV2,
  ],
  [
    'no right to read the record',
    (each) => {
      each.mirrored = 'v2'
      each.fault = (path) => (path.includes('/v1/storageagreements/') ? forbidden : undefined)
    },
    /^not: you may not read/,
  ],
  [
    'no record',
    (each) => {
      each.mirrored = 'v2'
      each.fault = (path) =>
        path.includes('/v1/storageagreements/') ? new ApiError(404, 'NotFound', '') : undefined
    },
    /^not: .* have no agreement record of things/,
  ],
  [
    'two stores in the mirror',
    (each) => set(each, { mirrored: 'v2', mirroredUIDs: ['r', 's'] }),
    /^not: two origins/,
  ],
  [
    'another store in the mirror',
    (each) => set(each, { mirrored: 'v2', mirroredUIDs: ['s'] }),
    /^not: two origins/,
  ],
  [
    'two stores behind two versions',
    (each) => set(each, { versions: { v1: 'r', v2: 's' } }),
    /^not: two origins/,
  ],
  // A mirror alone proves nothing, and neither does a hash beside it.
  [
    'a mirror of servers that list no records',
    (each) => set(each, { mirrored: 'v2', hasRecords: false }),
    /^not: the StorageVersion .* only shows the record of aggregated servers/,
  ],
  ['servers of another make', (each) => set(each, { hasRecords: false }), /^hash h /],
  ['a record that a deleted CRD left here', (each) => set(each, { ownRecord: 'unused' }), agreedV2],
  ['a record of this cluster', (each) => set(each, { ownRecord: 'used' }), /dev\/v1 \(agreement record/],
  [
    'no right to read records of this cluster',
    (each) => {
      each.fault = (path) => (path.startsWith('/apis/strata.dev') ? forbidden : undefined)
    },
    agreedV2,
  ],
]

const set = (cluster: AggregatedCluster, values: Partial<AggregatedCluster>): void => {
  Object.assign(cluster, values)
}

for (const [name, change, wanted] of rows) {
  test(`aggregated target: ${name}`, async () => {
    const cluster = new AggregatedCluster()
    change(cluster)
    const decided = await observeTarget({ client: cluster.client, resource: things }, never).then(
      (each) => (each.agreed ? targetText(each.target) : `not: ${each.because}`),
      (error: ApiError) => `error ${error.code}`,
    )
    assert.match(decided, wanted)
  })
}

test('aggregated target: a group that comes while it is read is read again, and its hash does not count', async () => {
  const cluster = new AggregatedCluster()
  // Not yet served when its origin is looked for; served when all of discovery is read.
  cluster.fault = (path) =>
    path === `/apis/${things.group}` && !cluster.asked.includes('/apis')
      ? new ApiError(404, 'NotFound', 'not yet')
      : undefined
  const decide = () => observeTarget({ client: cluster.client, resource: things }, never)
  await assert.rejects(decide(), /have come while it was read/)
  assert.equal((await decide()).agreed, true)
})

test('aggregated target: a CRD of the same name in this cluster is no part of it, so nothing of it is pruned', async () => {
  const cluster = new AggregatedCluster()
  cluster.hasCrd = true
  const decision = await observeTarget({ client: cluster.client, resource: things }, never)
  assert.ok(decision.agreed)
  assert.deepEqual([decision.target.definition, decision.target.recordUID], [undefined, 'r'])
})

test('aggregated target: a CRD whose version an APIService passes on is not migrated by its record here', async () => {
  const cluster = new AggregatedCluster()
  set(cluster, { hasCrd: true, ownRecord: 'used', hasRecords: false })
  const decide = () => observeTarget({ client: cluster.client, resource: things }, never)
  assert.equal((await decide()).agreed, true)
  cluster.hasApiService = true
  assert.match(JSON.stringify(await decide()), /the APIService v1\.shop\.example\.dev passes requests on/)
})
