import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CollectorFleet, leasesPath, storageVersionsPath } from '../support/collector-fleet.ts'

const name = 'storageversion.golden.dev.things'
const path = `${storageVersionsPath}/${name}`
const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' }
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
  const addLease = async (id: string): Promise<void> => {
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

test('collector I2: a client’s object of a valid id stands', async () => {
  const { fleet, acts, addLease, report, get } = await startFleet('objects I2')
  await addLease('aggregated-1')
  await report([server('aggregated-1', 'v1')], 'v1')
  const before = (await get()).body
  await fleet.pass(10_000)
  assert.deepEqual((await get()).body, before)
  assert.deepEqual(acts, [])
})

test('collector I3, I4: an entry goes with its Lease, and the object with the last', async () => {
  const { fleet, acts, addLease, report, get } = await startFleet('objects I3')
  await addLease('aggregated-1')
  await addLease('aggregated-2')
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
