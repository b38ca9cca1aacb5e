import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Lease, mirroredServerId, originsOf, type StorageVersion } from '@strata/api'
import { serverId } from '@strata/server'
import type { Transport } from '@strata/world'
import { startPair } from '../support/aggregated-pair.ts'
import { agreementsPath, leaseDurationMs, leasesPath } from '../support/collector-fleet.ts'
import { agreementPath, storageVersionPath } from '../support/fleet.ts'
import { MirrorFleet } from '../support/mirror-fleet.ts'

const settleMs = 10_000
const idOf = (name: string): string => serverId(name, name)

async function originOf(fleet: MirrorFleet, server: string): Promise<string> {
  return (await fleet.ask(server, 'GET', '/api/v1/namespaces/kube-system')).body.metadata.uid
}

async function shown(fleet: MirrorFleet): Promise<StorageVersion | undefined> {
  const { status, body } = await fleet.ask('aggregator', 'GET', storageVersionPath)
  return status === 200 ? body : undefined
}

async function mirroredLeases(fleet: MirrorFleet): Promise<readonly Lease[]> {
  const selector = 'labelSelector=apiserver.kubernetes.io%2Fidentity%3Daggregated-apiserver'
  return (await fleet.ask('aggregator', 'GET', `${leasesPath}?${selector}`)).body.items
}

const versionsOf = (object: StorageVersion | undefined) =>
  Object.fromEntries(
    (object?.status.storageVersions ?? []).map((each) => [each.apiServerID, each.encodingVersion]),
  )

test('mirror: Leases and entries of an aggregated fleet are shown in its aggregator, with the origin’s record', async () => {
  const fleet = new MirrorFleet('shown')
  await fleet.startAggregator('aggregator')
  await fleet.startAggregated('a')
  await fleet.startAggregated('b')
  await fleet.pass(settleMs)
  const origin = await originOf(fleet, 'a')
  const names = ['a', 'b'].map((each) => mirroredServerId(origin, idOf(each)))
  const leases = await mirroredLeases(fleet)
  assert.deepEqual(leases.map(({ metadata }) => metadata.name).sort(), [...names].sort())
  const record = (await fleet.ask('b', 'GET', agreementPath)).body
  const object = await shown(fleet)
  const [common] = Object.values(versionsOf(object))
  assert.deepEqual(versionsOf(object), Object.fromEntries([...names].sort().map((each) => [each, common])))
  assert.equal(object?.status.commonEncodingVersion, record.status.agreedVersion)
  assert.deepEqual(object && originsOf(object), [
    {
      ...{ origin, recordUID: record.metadata.uid, epoch: record.status.epoch },
      resourceVersion: record.metadata.resourceVersion,
    },
  ])
  // Nothing of the built-in groups, which the aggregator has itself.
  const { items } = (await fleet.ask('aggregator', 'GET', agreementsPath)).body
  const own = items.flatMap(({ status }: { status: { servers: { serverID: string }[] } }) => status.servers)
  assert.deepEqual(
    new Set(own.map(({ serverID }: { serverID: string }) => serverID)),
    new Set([idOf('aggregator')]),
  )
})

test('mirror: aggregated servers are no members of the aggregator’s fleet', async () => {
  const fleet = new MirrorFleet('no members')
  await fleet.startAggregator('aggregator')
  await fleet.startAggregated('a')
  await fleet.pass(settleMs)
  assert.equal((await mirroredLeases(fleet)).length, 1)
  const { items } = (await fleet.ask('aggregator', 'GET', agreementsPath)).body
  for (const { metadata, status } of items) {
    const reported = status.conditions.find(({ type }: { type: string }) => type === 'AllServersReported')
    assert.equal(reported.status, 'True', metadata.name)
    assert.equal(status.servers.length, 1, metadata.name)
  }
  // One that comes later finds the mirrored Lease when it starts.
  const b = await fleet.startAggregator('b', { collects: false })
  assert.equal(b.server.ready, true)
})

test('mirror: renewals are mirrored, and a fleet at rest writes nothing else', async () => {
  const fleet = new MirrorFleet('at rest')
  await fleet.startAggregator('aggregator')
  await fleet.startAggregated('a')
  await fleet.pass(settleMs)
  const [before] = await mirroredLeases(fleet)
  const object = await shown(fleet)
  await fleet.pass(5 * 60_000)
  const [after] = await mirroredLeases(fleet)
  assert.notEqual(after?.spec?.renewTime, before?.spec?.renewTime)
  assert.equal(after?.metadata.uid, before?.metadata.uid)
  assert.equal((await shown(fleet))?.metadata.resourceVersion, object?.metadata.resourceVersion)
})

test('mirror: through an upgrade it shows each step, and no common version in between', async () => {
  const fleet = new MirrorFleet('upgrade')
  await fleet.startAggregator('aggregator')
  const a = await fleet.startAggregated('a', { release: 'x+1' })
  const b = await fleet.startAggregated('b', { release: 'x+1' })
  await fleet.pass(settleMs)
  assert.equal((await shown(fleet))?.status.commonEncodingVersion, 'lighthouse.example.dev/v1')
  await a.stop()
  await fleet.startAggregated('a', { release: 'x+2' })
  await fleet.pass(settleMs + 20_000)
  const mixed = await shown(fleet)
  assert.deepEqual(Object.values(versionsOf(mixed)).sort(), [
    'lighthouse.example.dev/v1',
    'lighthouse.example.dev/v2',
  ])
  assert.equal(mixed?.status.commonEncodingVersion, undefined)
  await b.stop()
  await fleet.startAggregated('b', { release: 'x+2' })
  await fleet.pass(settleMs + 20_000)
  assert.equal((await shown(fleet))?.status.commonEncodingVersion, 'lighthouse.example.dev/v2')
})

test('mirror: a server that leaves is removed by the leader; what the last one leaves, the aggregator collects', async () => {
  const fleet = new MirrorFleet('leaves')
  await fleet.startAggregator('aggregator')
  const a = await fleet.startAggregated('a')
  const b = await fleet.startAggregated('b')
  await fleet.pass(settleMs)
  await a.stop()
  await fleet.pass(settleMs + 20_000)
  const origin = await originOf(fleet, 'b')
  assert.deepEqual(Object.keys(versionsOf(await shown(fleet))), [mirroredServerId(origin, idOf('b'))])
  assert.equal((await mirroredLeases(fleet)).length, 1)
  b.process.crash()
  await fleet.pass(leaseDurationMs / 2)
  assert.ok(await shown(fleet), 'not before its Lease has expired')
  await fleet.pass(2 * leaseDurationMs)
  assert.deepEqual(await mirroredLeases(fleet), [])
  assert.equal(await shown(fleet), undefined)
})

test('mirror: an aggregator without the StorageVersion API is asked once a minute, and the log says so once', async () => {
  const lines: string[] = []
  const fleet = new MirrorFleet('not served', (line) => lines.push(line))
  await fleet.startAggregator('aggregator', { runtimeConfig: 'internal.apiserver.k8s.io/v1alpha1=false' })
  let asked = 0
  const through =
    (send: Transport): Transport =>
    (request) => {
      if (request.target.includes('/storageversions')) asked += 1
      return send(request)
    }
  const { server } = await fleet.startAggregated('a', { through })
  await fleet.pass(settleMs)
  assert.equal((await mirroredLeases(fleet)).length, 1, 'the Lease is mirrored all the same')
  const before = asked
  await fleet.pass(10 * 60_000)
  // One read of the object and one list in a minute, each with jitter.
  assert.ok(asked - before <= 25, `${asked - before} requests in ten minutes`)
  assert.equal(lines.filter((each) => each.includes('the aggregator refuses what is mirrored')).length, 1)
  assert.equal(server.ready, true)
})

test('mirror: an aggregated server shows in its aggregator what the record says that is read through the proxy', async () => {
  const pair = await startPair('mirroring pair')
  await pair.pass(settleMs)
  const object: StorageVersion = (await pair.send('GET', storageVersionPath)).body
  const inGroup = '/apis/lighthouse.example.dev/v1/storageagreements/lighthouse.example.dev.beacons'
  const { metadata, status } = (await pair.send('GET', inGroup)).body
  assert.deepEqual(
    originsOf(object).map(({ recordUID, epoch, resourceVersion }) => [recordUID, epoch, resourceVersion]),
    [[metadata.uid, status.epoch, metadata.resourceVersion]],
  )
  assert.equal(object.status.commonEncodingVersion, status.agreedVersion)
  assert.equal((await pair.send('GET', agreementPath)).status, 404, 'the aggregator has no record of it')
  const metrics = String((await pair.sendBehind('GET', '/metrics')).body)
  assert.match(metrics, /strata_origin_mirror_writes_total\{resource="leases",result="success"\} \d/)
  // It leaves: the leader's Lease is released, and the mirrored one goes when it has expired.
  await pair.simulation.settle(pair.aggregated.stop(5_000))
  const asked = pair.asked.length
  await pair.pass(60_000)
  assert.ok(
    pair.asked.slice(asked).every((each) => !each.includes('/leases')),
    'no mirror runs any more',
  )
})
