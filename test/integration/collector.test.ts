import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverId } from '@strata/server'
import { createMemoryStore, type FaultyStoreHooks, readOne } from '@strata/server/store'
import { TransportError, utf8 } from '@strata/world'
import {
  agreementsPath,
  CollectorFleet,
  leaseDurationMs,
  leasesPath,
  storageVersionsPath,
} from '../support/collector-fleet.ts'
import { agreementPath, beacon, beaconPath, storageVersionPath } from '../support/fleet.ts'

const idOf = (name: string): string => serverId(name, name)
const leasePath = (name: string): string => `${leasesPath}/${idOf(name)}`
const v2 = 'lighthouse.example.dev/v2'

/** The servers that have an entry, in every record and every projection of it; fails if the two differ. */
async function reported(fleet: CollectorFleet, server: string): Promise<string[]> {
  const records = (await fleet.ask(server, 'GET', agreementsPath)).body.items
  const projections = (await fleet.ask(server, 'GET', storageVersionsPath)).body.items
  const ids = new Set<string>()
  for (const { metadata, status } of records) {
    const entries: string[] = status.servers.map((each: { serverID: string }) => each.serverID)
    const projection = projections.find(
      (each: { metadata: { name: string } }) => each.metadata.name === metadata.name,
    )
    const shown =
      projection?.status.storageVersions.map((each: { apiServerID: string }) => each.apiServerID) ?? []
    assert.deepEqual(shown, entries, metadata.name)
    for (const id of entries) ids.add(id)
  }
  return [...ids].sort()
}

const ids = (...names: string[]): string[] => names.map(idOf).sort()

test('collector G1, I3: the entries of a server that crashed go with its Lease, and agreement follows', async () => {
  const fleet = new CollectorFleet('crash')
  const c = await fleet.startServer('c', { release: 'x+1' })
  await fleet.startServer('a', { release: 'x+2' })
  await fleet.startServer('b', { release: 'x+2' })
  fleet.startControllers('controllers', ['a', 'b'])
  await fleet.pass(10_000)
  assert.equal((await fleet.ask('a', 'GET', agreementPath)).body.status.agreedVersion, undefined)
  assert.deepEqual(await reported(fleet, 'a'), ids('a', 'b', 'c'))

  c.process.crash()
  await fleet.pass(leaseDurationMs - 4_000)
  assert.equal((await fleet.ask('a', 'GET', leasePath('c'))).status, 200, 'not before its duration')
  await fleet.pass(6_000)
  assert.equal((await fleet.ask('a', 'GET', leasePath('c'))).status, 404)
  assert.deepEqual(await reported(fleet, 'a'), ids('a', 'b'))
  const { status } = (await fleet.ask('b', 'GET', agreementPath)).body
  assert.equal(status.agreedVersion, v2)
  const shown = (await fleet.ask('b', 'GET', storageVersionPath)).body.status
  assert.equal(shown.commonEncodingVersion, v2)
  assert.deepEqual(
    shown.conditions.map((each: { type: string; status: string }) => `${each.type} ${each.status}`),
    ['AllEncodingVersionsEqual True'],
  )
})

test('collector: a frozen server is expelled, its write in flight stores nothing, and it comes back by itself', async () => {
  const fleet = new CollectorFleet('zombie')
  const held = Promise.withResolvers<void>()
  let caught = false
  const hooks: FaultyStoreHooks = {
    beforeCommit: async ({ writes }) => {
      if (!writes.some(({ key }) => key.endsWith('/in-flight'))) return
      caught = true
      await held.promise
    },
  }
  const old = await fleet.startServer('old', { release: 'x+1', hooks })
  await fleet.startServer('new', { release: 'x+2' })
  fleet.startControllers('controllers', ['new'])
  await fleet.pass(10_000)

  const write = fleet.send('old', 'POST', beaconPath('v1'), beacon('v1', 'in-flight', 5))
  await fleet.simulation.run({ until: () => caught })
  old.process.freeze()
  await fleet.pass(leaseDurationMs + 5_000)
  assert.equal((await fleet.ask('new', 'GET', leasePath('old'))).status, 404)
  assert.equal((await fleet.ask('new', 'GET', agreementPath)).body.status.agreedVersion, v2)

  held.resolve()
  await fleet.pass(1_000)
  const key = '/registry/lighthouse.example.dev/beacons/default/in-flight'
  const stored = () => readOne(createMemoryStore(fleet.data), key, new AbortController().signal)
  assert.equal(await stored(), undefined, 'the commit came after the expulsion and was refused')

  old.process.thaw()
  const answer = await fleet.settle(write)
  assert.notEqual(answer.status, 201, 'what was answered must not promise what is not stored')
  assert.equal(await stored(), undefined)
  await fleet.pass(10_000)
  assert.deepEqual(await reported(fleet, 'new'), ids('old', 'new'))
  const { status } = (await fleet.ask('new', 'GET', agreementPath)).body
  assert.equal(status.agreedVersion, undefined, 'it encodes v1, and says so before it writes')
  const again = await fleet.ask('old', 'POST', beaconPath('v1'), beacon('v1', 'again', 5))
  assert.equal(again.status, 201, JSON.stringify(again.body))
})

test('collector: servers that live are never expelled', async (t) => {
  /** Ten durations pass; then every Lease must still be the one from the beginning. */
  const outlive = async (fleet: CollectorFleet, everyStep: (step: number) => void): Promise<void> => {
    await fleet.pass(5_000)
    const uidOf = async (name: string) => (await fleet.ask('a', 'GET', leasePath(name))).body.metadata.uid
    const before = [await uidOf('a'), await uidOf('b')]
    assert.ok(before.every((uid) => typeof uid === 'string'))
    for (let step = 0; step < 40; step++) {
      everyStep(step)
      await fleet.pass(leaseDurationMs / 4)
    }
    assert.deepEqual([await uidOf('a'), await uidOf('b')], before)
    assert.deepEqual(await reported(fleet, 'a'), ids('a', 'b'))
  }

  await t.test('though wall clocks jump by hours', async () => {
    const fleet = new CollectorFleet('wall clock')
    const a = await fleet.startServer('a')
    await fleet.startServer('b')
    const { process, acts } = fleet.startControllers('controllers', ['a'])
    await outlive(fleet, (step) => {
      process.jumpWall((step % 3 === 0 ? 5 : -2) * 3_600_000)
      a.process.jumpWall((step % 2 === 0 ? -1 : 1) * 3_600_000)
    })
    assert.deepEqual(acts, [])
  })

  await t.test('P3: though reads fail in every way', async () => {
    const fleet = new CollectorFleet('failed reads')
    await fleet.startServer('a')
    await fleet.startServer('b')
    let count = 0
    const { acts } = fleet.startControllers('controllers', ['a', 'b'], async (request, send) => {
      // Its election is left alone, or no controller would ever look at the others' Leases.
      if (request.method !== 'GET' || request.target.includes('strata-controllers')) return send(request)
      const json = (status: number, body: unknown) => ({
        status,
        headers: {},
        body: utf8.encode(JSON.stringify(body)),
      })
      const nothing = {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        reason: 'NotFound',
      }
      switch (count++ % 6) {
        case 0:
          return json(500, { kind: 'Status', status: 'Failure', reason: 'InternalError', code: 500 })
        case 1:
          throw new TransportError('broken', 'unknown')
        case 2:
          return json(404, { ...nothing, details: {}, code: 404 })
        case 3:
          return { status: 404, headers: {}, body: utf8.encode('no such backend') }
        case 4:
          return json(429, { kind: 'Status', status: 'Failure', code: 429 })
        default:
          return send(request)
      }
    })
    await outlive(fleet, () => {})
    assert.ok(count > 20, 'it did look')
    assert.deepEqual(acts, [])
  })

  await t.test('though they renew only just in time', async () => {
    const fleet = new CollectorFleet('slow renewals')
    await fleet.startServer('a', { renewIntervalSeconds: 19 })
    await fleet.startServer('b', { renewIntervalSeconds: 19 })
    const { acts } = fleet.startControllers('controllers', ['a'])
    await outlive(fleet, () => {})
    assert.deepEqual(acts, [])
  })

  await t.test('though everything stood still, collector and all', async () => {
    for (let seed = 0; seed < 5; seed++) {
      const fleet = new CollectorFleet(`pause ${seed}`)
      const servers = [await fleet.startServer('a'), await fleet.startServer('b')]
      const { process, acts } = fleet.startControllers('controllers', ['a', 'b'])
      const all = [...servers.map((each) => each.process), process]
      await outlive(fleet, (step) => {
        if (step % 10 === 4) for (const each of all) each.freeze()
        if (step % 10 === 9) for (const each of all) each.thaw()
      }).catch((error: unknown) => assert.fail(`seed ${seed}: ${String(error)} ${acts.join('; ')}`))
    }
  })
})

test('collector: of two processes one acts, and the other takes over when it crashes', async () => {
  const fleet = new CollectorFleet('takeover')
  await fleet.startServer('a')
  const b = await fleet.startServer('b')
  const c = await fleet.startServer('c')
  const first = fleet.startControllers('first', ['a'])
  await fleet.pass(1_000)
  const second = fleet.startControllers('second', ['a'])
  await fleet.pass(5_000)
  b.process.crash()
  await fleet.pass(leaseDurationMs + 5_000)
  assert.deepEqual(await reported(fleet, 'a'), ids('a', 'c'))
  assert.ok(first.acts.includes(`DELETE ${leasePath('b')}`))
  assert.equal(second.acts.length, 0)

  c.process.crash()
  await fleet.pass(leaseDurationMs / 2)
  first.process.crash()
  const actsOfFirst = first.acts.length
  // The new leader waits for the old one's Lease, and then watches a whole duration with its own eyes.
  await fleet.pass(leaseDurationMs)
  assert.equal((await fleet.ask('a', 'GET', leasePath('c'))).status, 200)
  await fleet.pass(leaseDurationMs + 5_000)
  assert.equal((await fleet.ask('a', 'GET', leasePath('c'))).status, 404)
  assert.deepEqual(await reported(fleet, 'a'), ids('a'))
  assert.equal(first.acts.length, actsOfFirst)
  assert.ok(second.acts.includes(`DELETE ${leasePath('c')}`))
})

test('collector: a process that is stopped hands over the lead at once', async () => {
  const fleet = new CollectorFleet('handover')
  await fleet.startServer('a')
  const first = fleet.startControllers('first', ['a'])
  await fleet.pass(1_000)
  fleet.startControllers('second', ['a'])
  await fleet.pass(5_000)
  const holder = async () =>
    (await fleet.ask('a', 'GET', `${leasesPath}/strata-controllers`)).body.spec.holderIdentity
  assert.match(await holder(), /^first_/)
  first.stop.abort(new Error('stop'))
  await fleet.pass(5_000)
  assert.match(await holder(), /^second_/)
})
