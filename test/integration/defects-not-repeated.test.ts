import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreementKind, serverId } from '@strata/server'
import { createMemoryStore, type FaultyStoreHooks, readOne } from '@strata/server/store'
import {
  agreementsPath,
  CollectorFleet,
  leaseDurationMs,
  leasesPath,
  storageVersionsPath,
} from '../support/collector-fleet.ts'
import { agreementPath, beacon, beaconPath, storageVersionPath } from '../support/fleet.ts'

/** Defects of upstream that Strata does not have: docs/reference/upstream-behaviour.md, P1 to P16. */

const never = new AbortController().signal
const leasePath = (name: string): string => `${leasesPath}/${serverId(name, name)}`
const recordKey = '/registry/strata.dev/storageagreements/lighthouse.example.dev.beacons'
const objectKey = '/registry/internal.apiserver.k8s.io/storageversions/lighthouse.example.dev.beacons'

const reportedIn = async (fleet: CollectorFleet, server: string): Promise<string[]> => {
  const { body } = await fleet.ask(server, 'GET', agreementPath)
  return body.status.servers.map(({ serverID }: { serverID: string }) => serverID)
}

test('P1: a server that is shutting down counts until its last write has ended; then entries go, the Lease last', async () => {
  const fleet = new CollectorFleet('p1')
  const held = Promise.withResolvers<void>()
  let isCaught = false
  const order: string[] = []
  const hooks: FaultyStoreHooks = {
    beforeCommit: async ({ writes }) => {
      for (const { key, kind } of writes) {
        if (key === recordKey) order.push('entry')
        if (kind === 'delete' && key.includes('/leases/kube-system/')) order.push('lease')
      }
      if (!writes.some(({ key }) => key.endsWith('/last'))) return
      isCaught = true
      await held.promise
    },
  }
  const old = await fleet.startServer('old', { release: 'x+1', hooks })
  await fleet.startServer('new', { release: 'x+2' })
  fleet.startControllers('controllers', ['new'])
  await fleet.pass(5_000)
  const writing = fleet.send('old', 'POST', beaconPath('v1'), beacon('v1', 'last', 5))
  await fleet.simulation.run({ until: () => isCaught })
  order.length = 0
  const stopping = old.server.stop(60_000)
  // Longer than any collector needs, shorter than the store is waited for.
  await fleet.pass(4_000)
  assert.equal((await fleet.ask('new', 'GET', leasePath('old'))).status, 200)
  assert.equal((await fleet.ask('new', 'GET', agreementPath)).body.status.agreedVersion, undefined)
  held.resolve()
  assert.equal((await fleet.settle(writing)).status, 201)
  assert.equal(await fleet.settle(stopping), true)
  assert.deepEqual(order, ['entry', 'lease'])
  await fleet.pass(1_000)
  assert.equal(
    (await fleet.ask('new', 'GET', agreementPath)).body.status.agreedVersion,
    'lighthouse.example.dev/v2',
  )
})

test('P1: a Lease that a client touches while it is given back is given back all the same', async () => {
  const fleet = new CollectorFleet('p1-touched')
  const past = createMemoryStore(fleet.data)
  let touched = 0
  const hooks: FaultyStoreHooks = {
    beforeCommit: async ({ writes }) => {
      const leaving = writes.find(
        ({ key, kind }) => kind === 'delete' && key.includes('/leases/kube-system/'),
      )
      if (!leaving || touched === 3) return
      touched++
      const { key, value } = (await readOne(past, leaving.key, never)) ?? assert.fail('there is a Lease')
      await past.commit({ writes: [{ kind: 'put', key, value }], guards: [] }, never)
    },
  }
  const old = await fleet.startServer('old', { hooks })
  await fleet.startServer('new')
  assert.equal(await fleet.settle(old.server.stop(60_000)), true)
  assert.equal(touched, 3)
  assert.equal((await fleet.ask('new', 'GET', leasePath('old'))).status, 404)
  await fleet.pass(1_000)
  const { status } = (await fleet.ask('new', 'GET', agreementPath)).body
  assert.equal(status.agreedVersion, status.servers[0].encodingVersion)
})

test('P2: a server that takes over what a crash left behind keeps its new entries, despite a collector', async () => {
  const fleet = new CollectorFleet('p2')
  await fleet.startServer('other')
  const before = await fleet.startServer('first', { instance: 'one', host: 'host' })
  fleet.startControllers('controllers', ['other'])
  before.process.crash()
  await fleet.startServer('second', { instance: 'one', host: 'host' })
  await fleet.pass(2 * leaseDurationMs)
  const id = serverId('host', 'one')
  assert.deepEqual(await reportedIn(fleet, 'second'), [id, serverId('other', 'other')].sort())
  const { body } = await fleet.ask('other', 'GET', agreementPath)
  const own = body.status.servers.find(({ serverID }: { serverID: string }) => serverID === id)
  const lease = await fleet.ask('other', 'GET', `${leasesPath}/${id}`)
  assert.equal(own.process, lease.body.spec.holderIdentity, 'of the process that is there now')
})

test('P5: an entry that is taken out of a live server is no agreement, and is back in a moment, not in ten minutes', async () => {
  const fleet = new CollectorFleet('p5')
  await fleet.startServer('a', { release: 'x+1' })
  await fleet.startServer('b', { release: 'x+2' })
  const { body } = await fleet.ask('b', 'GET', agreementPath)
  const servers = body.status.servers.filter(
    ({ serverID }: { serverID: string }) => serverID !== serverId('a', 'a'),
  )
  const without = { ...body, status: { ...body.status, servers } }
  const refused = await fleet.ask('b', 'PUT', agreementPath, without)
  assert.equal(refused.status, 422, 'by way of the API, only of a server whose Lease is absent')
  const put = { kind: 'put' as const, key: recordKey, value: agreementKind.encode(without) }
  await createMemoryStore(fleet.data).commit({ writes: [put], guards: [] }, never)
  await fleet.pass(1_000)
  assert.equal((await reportedIn(fleet, 'b')).length, 2)
  const { status } = (await fleet.ask('b', 'GET', agreementPath)).body
  assert.equal(status.agreedVersion, undefined)
})

test('P6: six servers that start at once register in moments; who lost a race is tried again, and that is counted', async () => {
  const fleet = new CollectorFleet('p6')
  // A store that answers at once lets each server register before the next one begins.
  const plan = { storeDelayMs: { from: 1, to: 5 } }
  const names = Array.from({ length: 6 }, (_, index) => `s${index}`)
  const beganMs = fleet.simulation.nowMs
  await fleet.settle(Promise.all(names.map((name) => fleet.launch(name, plan).started)))
  assert.ok(fleet.simulation.nowMs - beganMs < 10_000, `took ${fleet.simulation.nowMs - beganMs} ms`)
  assert.equal((await reportedIn(fleet, 's0')).length, 6)
  let conflicts = 0
  for (const name of names) {
    const { body } = await fleet.ask(name, 'GET', '/metrics')
    const [, counted = '0'] =
      /^strata_storage_version_registration_retries_total\{reason="conflict"\} (\d+)$/m.exec(body) ?? []
    conflicts += Number(counted)
  }
  assert.ok(conflicts > 0 && conflicts < 6 * 1_000, `${conflicts} in all`)
})

test('P8: record and object, status and all, are one transaction: no crash leaves an object without entries', async () => {
  const fleet = new CollectorFleet('p8')
  let commits = 0
  let together = 0
  const hooks: FaultyStoreHooks = {
    beforeCommit: async ({ writes }) => {
      const keys = writes.map(({ key }) => key)
      if (!keys.includes(recordKey) && !keys.includes(objectKey)) return
      commits++
      if (keys.includes(recordKey) && keys.includes(objectKey)) together++
    },
  }
  await fleet.startServer('a', { hooks })
  assert.deepEqual([commits, together], [1, 1])
  const entry = await readOne(createMemoryStore(fleet.data), objectKey, never)
  assert.equal(JSON.parse(Buffer.from(entry?.value ?? []).toString()).status.storageVersions.length, 1)
})

test('P9: repair after repair, nothing that is right is written again, and lists are in order', async () => {
  const fleet = new CollectorFleet('p9')
  await fleet.startServer('b')
  await fleet.startServer('a')
  await fleet.pass(1_000)
  const versions = async (path: string): Promise<string[]> =>
    (await fleet.ask('a', 'GET', path)).body.items.map(
      ({ metadata }: { metadata: { name: string; resourceVersion: string } }) =>
        `${metadata.name} ${metadata.resourceVersion}`,
    )
  const before = [await versions(agreementsPath), await versions(storageVersionsPath)]
  await fleet.pass(22 * 60_000)
  assert.deepEqual([await versions(agreementsPath), await versions(storageVersionsPath)], before)
  const { storageVersions } = (await fleet.ask('a', 'GET', storageVersionPath)).body.status
  const ids = storageVersions.map(({ apiServerID }: { apiServerID: string }) => apiServerID)
  assert.deepEqual(ids, ids.toSorted())
  for (const { decodableVersions, servedVersions } of storageVersions) {
    assert.deepEqual(decodableVersions, decodableVersions.toSorted())
    assert.deepEqual(servedVersions, servedVersions.toSorted())
  }
})

test('P11: custom resources are registered too, before they are written', async () => {
  const fleet = new CollectorFleet('p11')
  await fleet.startServer('a')
  const crd = {
    metadata: { name: 'gadgets.example.org' },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: { plural: 'gadgets', kind: 'Gadget', singular: 'gadget', listKind: 'GadgetList' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    },
  }
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  assert.equal((await fleet.ask('a', 'POST', definitions, crd)).status, 201)
  await fleet.pass(1_000)
  const gadget = { apiVersion: 'example.org/v1', kind: 'Gadget', metadata: { name: 'one' } }
  const made = await fleet.ask('a', 'POST', '/apis/example.org/v1/namespaces/default/gadgets', gadget)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { metadata, status } = (await fleet.ask('a', 'GET', `${storageVersionsPath}/example.org.gadgets`))
    .body
  assert.equal(status.commonEncodingVersion, 'example.org/v1')
  assert.ok(Number(metadata.resourceVersion) < Number(made.body.metadata.resourceVersion))
})

test('P13: two servers of one host are two, and their disagreement is seen', async () => {
  const fleet = new CollectorFleet('p13')
  await fleet.startServer('a', { host: 'host', release: 'x+1' })
  await fleet.startServer('b', { host: 'host', release: 'x+2' })
  const { storageVersions, commonEncodingVersion } = (await fleet.ask('a', 'GET', storageVersionPath)).body
    .status
  assert.deepEqual([storageVersions.length, commonEncodingVersion], [2, undefined])
})
