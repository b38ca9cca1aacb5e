import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StorageAgreement } from '@strata/api'
import { createMemoryStore, type FaultyStoreHooks } from '@strata/server/store'
import {
  agreementsPath,
  CollectorFleet,
  leasesPath,
  storageVersionsPath,
} from '../support/collector-fleet.ts'
import { agreementPath, beacon, beaconPath } from '../support/fleet.ts'

const never = new AbortController().signal
const off = { featureGates: { StorageVersionAPI: false } }
const unseen = { featureGates: { StorageVersionAPI: false, APIServerIdentity: false } }
const v1 = 'lighthouse.example.dev/v1'
const identities = `${leasesPath}?labelSelector=apiserver.kubernetes.io/identity=kube-apiserver`

type Status = StorageAgreement['status']
const beacons = async (fleet: CollectorFleet, server: string): Promise<Status> =>
  (await fleet.ask(server, 'GET', agreementPath)).body.status
const records = async (fleet: CollectorFleet, server: string): Promise<StorageAgreement[]> =>
  (await fleet.ask(server, 'GET', agreementsPath)).body.items
const write = async (fleet: CollectorFleet, server: string, name: string): Promise<void> => {
  const { status, body } = await fleet.ask(server, 'POST', beaconPath('v1'), beacon('v1', name, 5))
  assert.equal(status, 201, JSON.stringify(body))
}
const reported = ({ conditions }: Status) => conditions.find(({ type }) => type === 'AllServersReported')

test('recording gaps: the first start over an empty store leaves none, nor do the second and a restart', async () => {
  const fleet = new CollectorFleet('gaps-none')
  const a = await fleet.startServer('a')
  await write(fleet, 'a', 'one')
  await fleet.startServer('b')
  await fleet.settle(a.server.stop(5_000))
  await fleet.startServer('c')
  await fleet.pass(2_000)
  const all = await records(fleet, 'c')
  assert.ok(all.length > 10)
  assert.deepEqual(
    all.filter(({ status }) => status.recordingGap || status.epoch !== 1),
    [],
  )
})

test('recording gaps: feature on, off, a write, on again: the write is not believed to be recorded', async () => {
  const fleet = new CollectorFleet('gaps-off-on')
  const a = await fleet.startServer('a')
  await write(fleet, 'a', 'recorded')
  const before = await beacons(fleet, 'a')
  await fleet.settle(a.server.stop(5_000))

  const b = await fleet.startServer('b', { ...off, release: 'x+2' })
  const during = await beacons(fleet, 'b')
  assert.deepEqual([during.epoch, during.recordingGap?.epoch, during.servers], [2, 2, []])
  await write(fleet, 'b', 'unrecorded')
  const found = await fleet.ask('b', 'GET', identities)
  assert.equal(found.body.items[0].metadata.annotations['strata.dev/records-writes'], 'false')
  assert.equal(
    (await fleet.ask('b', 'GET', `${storageVersionsPath}/lighthouse.example.dev.beacons`)).status,
    404,
  )
  await fleet.settle(b.server.stop(5_000))

  await fleet.startServer('c')
  const after = await beacons(fleet, 'c')
  assert.equal(before.agreedVersion, v1)
  assert.deepEqual([before.epoch, before.recordingGap], [1, undefined])
  assert.deepEqual([after.agreedVersion, after.epoch, after.recordingGap?.epoch], [v1, 3, 3])
  // Objects that were written meanwhile are in another version, and do not count as current.
  const { spec } = (await fleet.ask('c', 'GET', beaconPath('v1', 'unrecorded'))).body
  assert.equal(spec.everySeconds, 5)
})

test('recording gaps: beside servers that record, one that does not keeps every resource from being agreed on', async () => {
  const fleet = new CollectorFleet('gaps-mixed')
  await fleet.startServer('a')
  const b = await fleet.startServer('b', off)
  await fleet.pass(1_000)
  await write(fleet, 'b', 'unrecorded')
  await write(fleet, 'a', 'recorded')
  const mixed = await records(fleet, 'a')
  for (const { status, metadata } of mixed) {
    assert.equal(status.agreedVersion, undefined, String(metadata.name))
    assert.equal(reported(status)?.reason, 'ServersDoNotRecord')
    assert.equal(status.recordingGap?.epoch, status.epoch)
    const fenced = status.conditions.find(({ type }) => type === 'Fenced')
    assert.deepEqual([fenced?.status, fenced?.reason], ['False', 'ServersDoNotRecord'])
  }
  const metrics = String((await fleet.ask('a', 'GET', '/metrics')).body)
  assert.match(metrics, /^strata_storage_agreement_fenced\{.*\} 0$/m)
  assert.doesNotMatch(metrics, /^strata_storage_agreement_fenced\{.*\} 1$/m)
  // Upstream's rule: it follows from the list, which has no place for who is missing there.
  const shown = await fleet.ask('a', 'GET', `${storageVersionsPath}/lighthouse.example.dev.beacons`)
  assert.equal(shown.body.status.commonEncodingVersion, v1)
  await fleet.settle(b.server.stop(5_000))
  await fleet.pass(1_000)
  for (const { status, metadata } of await records(fleet, 'a')) {
    assert.ok(status.agreedVersion, String(metadata.name))
    assert.deepEqual([status.epoch, status.recordingGap?.epoch], [3, 3])
  }
})

test('recording gaps: switched on over a store that was written without it, what has objects has a gap', async () => {
  for (const gates of [off, unseen]) {
    const fleet = new CollectorFleet(`gaps-first-${Object.keys(gates.featureGates).length}`)
    const a = await fleet.startServer('a', gates)
    await write(fleet, 'a', 'unrecorded')
    await fleet.settle(a.server.stop(5_000))
    await fleet.startServer('b')
    assert.ok((await beacons(fleet, 'b')).recordingGap)
  }
})

test('recording gaps: without an identity there is no Lease, and the gap is left all the same', async () => {
  const fleet = new CollectorFleet('gaps-unseen')
  await fleet.startServer('a')
  const before = await beacons(fleet, 'a')
  const b = await fleet.startServer('b', unseen)
  const { body } = await fleet.ask('a', 'GET', identities)
  assert.equal(body.items.length, 1)
  const during = await beacons(fleet, 'a')
  assert.deepEqual([before.epoch, during.epoch, during.recordingGap?.epoch], [1, 2, 2])
  // Two of them need one gap between them, and do not answer each other for ever.
  const c = await fleet.startServer('c', unseen)
  await fleet.pass(60_000)
  assert.equal((await beacons(fleet, 'a')).epoch, 2)
  await fleet.settle(b.server.stop(5_000))
  assert.equal((await beacons(fleet, 'a')).agreedVersion, undefined)
  await fleet.settle(c.server.stop(5_000))
  const after = await beacons(fleet, 'a')
  assert.deepEqual([after.epoch, after.recordingGap?.epoch], [3, 3])
  assert.equal(after.agreedVersion, v1)
})

// Otherwise: the record says that all write v2, and that every write is guarded, while v1 is being stored.
test('recording gaps: while a server without a Lease writes, nothing is agreed on, in whichever epoch', async () => {
  const fleet = new CollectorFleet('gaps-unseen-writes')
  await fleet.startServer('u', unseen)
  await fleet.startServer('a', { release: 'x+2' })
  const claims = async (): Promise<unknown[]> => {
    const { agreedVersion, conditions } = await beacons(fleet, 'a')
    const fenced = conditions.find(({ type }) => type === 'Fenced')
    return [agreedVersion, reported({ conditions } as Status)?.reason, fenced?.status]
  }
  const nothing = [undefined, 'ServersDoNotRecord', 'False']
  await fleet.pass(1_000)
  assert.deepEqual(await claims(), nothing)
  await write(fleet, 'u', 'one')
  const b = await fleet.startServer('b')
  await fleet.pass(1_000)
  assert.deepEqual(await claims(), nothing)
  await fleet.settle(b.server.stop(5_000))
  await fleet.pass(1_000)
  assert.deepEqual(await claims(), nothing)
})

test('recording gaps: one without a Lease that was killed is over when its server is back, or an operator removes it', async () => {
  for (const [name, featureGates] of Object.entries({
    recording: {},
    unseen: unseen.featureGates,
    away: undefined,
  })) {
    const fleet = new CollectorFleet(`gaps-unseen-killed-${name}`)
    await fleet.startServer('a')
    const u = await fleet.startServer('u', unseen)
    u.process.crash()
    await fleet.pass(120_000)
    const killed = await beacons(fleet, 'a')
    assert.deepEqual([killed.agreedVersion, killed.unseenProcesses?.length], [undefined, 1])
    if (featureGates) {
      const back = await fleet.startServer('u', { featureGates })
      // It gives the process before it 20 seconds to come back.
      await fleet.pass(30_000)
      if (name === 'unseen') await fleet.settle(back.server.stop(5_000))
    } else {
      const { body } = await fleet.ask('a', 'GET', agreementPath)
      const without = { ...body, status: { ...body.status, unseenProcesses: [] } }
      assert.equal((await fleet.ask('a', 'PUT', agreementPath, without)).status, 200)
    }
    const after = await beacons(fleet, 'a')
    assert.deepEqual([after.agreedVersion, after.unseenProcesses], [v1, undefined], name)
    assert.deepEqual([after.epoch, after.recordingGap?.epoch], [killed.epoch + 1, killed.epoch + 1], name)
  }
})

test('recording gaps: one that lives and is taken out puts itself in again, also where two have one name', async () => {
  const fleet = new CollectorFleet('gaps-unseen-twice')
  await fleet.startServer('a')
  await fleet.startServer('u', unseen)
  await fleet.startServer('u', unseen)
  await fleet.pass(60_000)
  const { body } = await fleet.ask('a', 'GET', agreementPath)
  assert.equal(body.status.unseenProcesses.length, 2)
  const without = { ...body, status: { ...body.status, unseenProcesses: [] } }
  assert.equal((await fleet.ask('a', 'PUT', agreementPath, without)).status, 200)
  await fleet.pass(1_000)
  const { agreedVersion, unseenProcesses } = await beacons(fleet, 'a')
  assert.deepEqual([agreedVersion, unseenProcesses?.length], [undefined, 2])
})

test('recording gaps: a record that was lost begins with one where something is stored, and only there', async () => {
  const fleet = new CollectorFleet('gaps-anew')
  const a = await fleet.startServer('a')
  await write(fleet, 'a', 'one')
  await fleet.settle(a.server.stop(5_000))
  const store = createMemoryStore(fleet.data)
  const { entries } = await store.list({ prefix: '/registry/strata.dev/storageagreements/' }, never)
  assert.ok(entries.length > 10)
  for (const { key } of entries) await store.commit({ writes: [{ kind: 'delete', key }], guards: [] }, never)
  await fleet.startServer('b')
  const gaps = (await records(fleet, 'b')).filter(({ status }) => status.recordingGap)
  assert.deepEqual(
    gaps.map(({ metadata: { name }, status }) => [name, status.recordingGap?.reason]),
    [['lighthouse.example.dev.beacons', 'RecordMadeAnew']],
  )
})

test('recording gaps: an identity Lease of another program that has no entry is an unknown writer', async () => {
  const fleet = new CollectorFleet('gaps-foreign')
  await fleet.startServer('a')
  const foreign = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'apiserver-other', labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' } },
    spec: { holderIdentity: 'other', leaseDurationSeconds: 20 },
  }
  assert.equal((await fleet.ask('a', 'POST', leasesPath, foreign)).status, 201)
  await fleet.pass(1_000)
  const during = await beacons(fleet, 'a')
  assert.deepEqual([during.agreedVersion, during.epoch, during.recordingGap?.epoch], [undefined, 2, 2])
  assert.equal(
    reported(during)?.message,
    'no entry from apiserver-other; apiserver-other writes without recording it',
  )
  assert.equal((await fleet.ask('a', 'DELETE', `${leasesPath}/apiserver-other`)).status, 200)
  await fleet.pass(1_000)
  const after = await beacons(fleet, 'a')
  assert.deepEqual([after.agreedVersion, after.epoch, after.recordingGap?.epoch], [v1, 3, 3])
})

test('recording gaps: one that was frozen until it was forgotten says so again before it writes', async () => {
  const fleet = new CollectorFleet('gaps-zombie')
  await fleet.startServer('a')
  const b = await fleet.startServer('b', off)
  fleet.startControllers('controllers', ['a'])
  await fleet.pass(5_000)
  b.process.freeze()
  await fleet.pass(60_000)
  const agreed = await beacons(fleet, 'a')
  assert.deepEqual([agreed.agreedVersion, agreed.epoch], [v1, 3], 'the others go on without it')
  const writing = fleet.send('b', 'POST', beaconPath('v1'), beacon('v1', 'late', 5))
  b.process.thaw()
  const { status } = await fleet.settle(writing)
  await fleet.pass(5_000)
  const after = await beacons(fleet, 'a')
  assert.deepEqual([after.epoch, after.agreedVersion], [4, undefined])
  if (status !== 201) {
    assert.equal(status, 503)
    await write(fleet, 'b', 'late')
  }
  const record = await fleet.ask('a', 'GET', agreementPath)
  const stored = await fleet.ask('a', 'GET', beaconPath('v1', 'late'))
  const at = (body: { metadata: { resourceVersion: string } }): number =>
    Number(body.metadata.resourceVersion)
  assert.ok(
    at(stored.body) > at(record.body),
    'no write between the end of one gap and the beginning of the next',
  )
})

test('recording gaps: a write in flight of one that was forgotten meanwhile stores nothing', async () => {
  const fleet = new CollectorFleet('gaps-zombie-in-flight')
  await fleet.startServer('a')
  const held = Promise.withResolvers<void>()
  let isCaught = false
  const hooks: FaultyStoreHooks = {
    beforeCommit: async ({ writes }) => {
      if (!writes.some(({ key }) => key.endsWith('/in-flight'))) return
      isCaught = true
      await held.promise
    },
  }
  const b = await fleet.startServer('b', { ...off, hooks })
  fleet.startControllers('controllers', ['a'])
  await fleet.pass(5_000)
  const writing = fleet.send('b', 'POST', beaconPath('v1'), beacon('v1', 'in-flight', 5))
  await fleet.simulation.run({ until: () => isCaught })
  b.process.freeze()
  await fleet.pass(60_000)
  assert.equal((await beacons(fleet, 'a')).agreedVersion, v1)
  held.resolve()
  await fleet.pass(1_000)
  assert.equal((await fleet.ask('a', 'GET', beaconPath('v1', 'in-flight'))).status, 404)
  b.process.thaw()
  assert.ok((await fleet.settle(writing)).status >= 500, 'not acknowledged')
  assert.equal((await fleet.ask('a', 'GET', beaconPath('v1', 'in-flight'))).status, 404)
})

test('recording gaps: a server that records, frozen, and begun again without recording, never writes again', async () => {
  const fleet = new CollectorFleet('gaps-zombie-on')
  const a = await fleet.startServer('a', { instance: 'one', host: 'host' })
  a.process.freeze()
  await fleet.startServer('b', { ...off, instance: 'one', host: 'host' })
  const writing = fleet.send('a', 'POST', beaconPath('v1'), beacon('v1', 'late', 5))
  a.process.thaw()
  const { status } = await fleet.settle(writing)
  assert.equal(status, 503)
  await write(fleet, 'b', 'one')
  assert.equal((await fleet.ask('b', 'GET', beaconPath('v1', 'late'))).status, 404)
})

test('recording gaps: a server without a record of its own leaves StorageVersions to the collectors', async () => {
  const fleet = new CollectorFleet('gaps-objects')
  await fleet.startServer('a', off)
  const object = {
    apiVersion: 'internal.apiserver.k8s.io/v1alpha1',
    kind: 'StorageVersion',
    metadata: { name: 'core.configmaps' },
    spec: {},
  }
  assert.equal((await fleet.ask('a', 'POST', storageVersionsPath, object)).status, 201)
  assert.equal((await fleet.ask('a', 'DELETE', `${storageVersionsPath}/core.configmaps`)).status, 200)
  const { status, body } = await fleet.ask('a', 'GET', '/healthz?verbose')
  assert.equal(status, 200)
  assert.ok(!body.includes('built-in-resources-storage-version-updater'), body)
})

// A release that does not guard such writes names its process and states nothing. A commit of it may arrive at any time.
test('recording gaps: the name of a server without an identity that guards nothing is removed by an operator alone', async () => {
  const fleet = new CollectorFleet('gaps-unseen-unguarded')
  const u = await fleet.startServer('u', unseen)
  u.process.crash()
  const store = createMemoryStore(fleet.data)
  const prefix = '/registry/strata.dev/storageagreements/'
  for (const { key, value, revision } of (await store.list({ prefix }, never)).entries) {
    const record = JSON.parse(Buffer.from(value).toString())
    delete record.metadata.annotations
    const put = { kind: 'put' as const, key, value: Buffer.from(JSON.stringify(record)) }
    await store.commit({ writes: [put], guards: [{ key, revision }] }, never)
  }
  await fleet.startServer('a')
  await fleet.startServer('u')
  await fleet.pass(60_000)
  const { body } = await fleet.ask('a', 'GET', agreementPath)
  assert.deepEqual([body.status.agreedVersion, body.status.unseenProcesses.length], [undefined, 1])
  const without = { ...body, status: { ...body.status, unseenProcesses: [] } }
  assert.equal((await fleet.ask('a', 'PUT', agreementPath, without)).status, 200)
  assert.equal((await beacons(fleet, 'a')).agreedVersion, v1)
})

const unseenIn = async (fleet: CollectorFleet, server: string): Promise<number> =>
  (await records(fleet, server)).reduce((sum, { status }) => sum + (status.unseenProcesses ?? []).length, 0)

// Each kill under a new host name would otherwise leave a name in every record, and nothing would ever be agreed on.
test('recording gaps: names of servers without an identity that were killed for good are removed by the collector', async () => {
  const fleet = new CollectorFleet('gaps-unseen-collected')
  await fleet.startServer('a')
  fleet.startControllers('controllers', ['a'])
  for (const name of ['u', 'v']) (await fleet.startServer(name, unseen)).process.crash()
  assert.ok((await unseenIn(fleet, 'a')) > 20)
  await fleet.pass(150_000)
  assert.equal(await unseenIn(fleet, 'a'), 0)
  assert.equal((await beacons(fleet, 'a')).agreedVersion, v1)
})

test('recording gaps: a server without an identity that lives is challenged less and less, and loses no write by it', async () => {
  const fleet = new CollectorFleet('gaps-unseen-challenged')
  await fleet.startServer('a')
  fleet.startControllers('controllers', ['a'])
  const u = await fleet.startServer('u', unseen)
  const before = (await records(fleet, 'a')).map(({ metadata, status }) => [metadata.name, status.epoch])
  for (let minute = 0; minute < 20; minute++) {
    await fleet.pass(60_000)
    await write(fleet, 'u', `write-${minute}`)
    assert.ok(u.server.ready)
  }
  const after = (await records(fleet, 'a')).map(({ metadata, status }) => [metadata.name, status.epoch])
  const moved = after.filter(([name, epoch]) => before.find(([each]) => each === name)?.[1] !== epoch)
  // At about 1, 3, 7 and 15 minutes: each removes the name, and the server puts it in again.
  assert.deepEqual(moved, [
    ['coordination.k8s.io.leases', Number(before.find(([n]) => n === moved[0]?.[0])?.[1]) + 8],
  ])
})

// A forged Lease, say: it stands for a moment, and every record has a gap. A census of each is the way to close it.
test('recording gaps: after an identity Lease without a server, a census closes the gap in every record', async () => {
  const fleet = new CollectorFleet('gaps-closed')
  await fleet.startServer('a')
  await write(fleet, 'a', 'one')
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'apiserver-forged', labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' } },
    spec: { holderIdentity: 'unknown', leaseDurationSeconds: 20 },
  }
  assert.equal((await fleet.ask('a', 'POST', leasesPath, lease)).status, 201)
  await fleet.pass(1_000)
  await write(fleet, 'a', 'meanwhile')
  assert.equal((await fleet.ask('a', 'DELETE', `${leasesPath}/apiserver-forged`)).status, 200)
  await fleet.pass(1_000)
  const open = await records(fleet, 'a')
  assert.ok(open.every(({ status }) => status.recordingGap && !status.closedRecordingGap))
  for (const { spec } of open) {
    const { group, resource } = spec
    const question = { kind: 'StorageCensus', metadata: {}, spec: { group, resource } }
    const census = { apiVersion: 'strata.dev/v1alpha1', ...question }
    const path = '/apis/strata.dev/v1alpha1/storagecensuses'
    const { body } = await fleet.ask('a', 'POST', path, census)
    assert.equal(body.status.proven, true, JSON.stringify(body))
  }
  for (const { metadata, status } of await records(fleet, 'a')) {
    assert.equal(status.recordingGap, undefined, String(metadata.name))
    assert.equal(status.closedRecordingGap?.reason, 'ServersDidNotRecord', 'what happened is not forgotten')
    assert.equal(status.persisted?.length, 1)
  }
})
