import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CollectorFleet, leasesPath, storageVersionsPath } from '../support/collector-fleet.ts'

const name = 'storageversion.golden.dev.things'
const path = `${storageVersionsPath}/${name}`
/** A server behind an aggregator has the second value. Servers of another make may still have the first. */
const labelValues = ['kube-apiserver', 'aggregated-apiserver'] as const
const server = (apiServerID: string, encodingVersion: string) => ({
  apiServerID,
  encodingVersion,
  decodableVersions: ['v1', 'v2'],
})

async function startFleet(seed: string) {
  const fleet = new CollectorFleet(seed)
  await fleet.startServer('a')
  const { acts } = fleet.startControllers('controllers', ['a'])
  await fleet.pass(5_000)
  const addLease = async (id: string, labelValue: string): Promise<void> => {
    const labels = { 'apiserver.kubernetes.io/identity': labelValue }
    const made = await fleet.ask('a', 'POST', leasesPath, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: id, labels },
      spec: { leaseDurationSeconds: 3600, renewTime: '2026-01-01T00:00:00.000000Z' },
    })
    assert.equal(made.status, 201)
  }
  /** As upstream's updater: the object first, then its status. */
  const report = async (servers: readonly unknown[], commonEncodingVersion?: string): Promise<void> => {
    const kind = { apiVersion: 'internal.apiserver.k8s.io/v1alpha1', kind: 'StorageVersion' }
    const made = await fleet.ask('a', 'POST', storageVersionsPath, { ...kind, metadata: { name }, spec: {} })
    assert.equal(made.status, 201)
    const status = { storageVersions: servers, ...(commonEncodingVersion ? { commonEncodingVersion } : {}) }
    const put = await fleet.ask('a', 'PUT', `${path}/status`, { ...made.body, status })
    assert.equal(put.status, 200, JSON.stringify(put.body))
  }
  return { fleet, acts, addLease, report, get: () => fleet.ask('a', 'GET', path) }
}

test('collector I1, N10: a client’s object with an unknown server id is deleted within ten seconds', async () => {
  const { fleet, acts, report, get } = await startFleet('objects I1')
  await report([server('unknown', 'v1')], 'v1')
  await fleet.pass(10_000)
  assert.equal((await get()).status, 404)
  assert.deepEqual(acts, [`DELETE ${path}`])
})

for (const value of labelValues) {
  test(`collector I2: a client’s object of a valid id stands (${value})`, async () => {
    const { fleet, acts, addLease, report, get } = await startFleet(`objects I2 ${value}`)
    await addLease('aggregated-1', value)
    await report([server('aggregated-1', 'v1')], 'v1')
    const before = (await get()).body
    await fleet.pass(10_000)
    assert.deepEqual((await get()).body, before)
    assert.deepEqual(acts, [])
  })

  test(`collector I3, I4: an entry goes with its Lease, and the object with the last (${value})`, async () => {
    const { fleet, acts, addLease, report, get } = await startFleet(`objects I3 ${value}`)
    await addLease('aggregated-1', value)
    await addLease('aggregated-2', value)
    await report([server('aggregated-1', 'v1'), server('aggregated-2', 'v2')])
    await fleet.pass(5_000)
    await fleet.ask('a', 'DELETE', `${leasesPath}/aggregated-1`)
    await fleet.pass(10_000)
    const { status } = (await get()).body
    assert.deepEqual(status.storageVersions, [server('aggregated-2', 'v2')])
    assert.equal(status.commonEncodingVersion, 'v2')
    assert.equal(status.conditions[0].reason, 'CommonEncodingVersionSet')
    await fleet.ask('a', 'DELETE', `${leasesPath}/aggregated-2`)
    await fleet.pass(10_000)
    assert.equal((await get()).status, 404)
    assert.deepEqual(acts, [`PUT ${path}/status`, `DELETE ${path}`])
  })
}

test('collector N11: the Lease of an aggregated server expires by the same rule, and its entry goes with it', async () => {
  const { fleet, acts, addLease, report, get } = await startFleet('objects N11')
  await addLease('aggregated-1', 'aggregated-apiserver')
  await report([server('aggregated-1', 'v1')], 'v1')
  await fleet.pass(3_500_000)
  assert.equal((await get()).status, 200)
  await fleet.pass(200_000)
  assert.equal((await get()).status, 404)
  assert.deepEqual(acts, [`DELETE ${leasesPath}/aggregated-1`, `DELETE ${path}`])
})
