import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ResourceDefinition } from '@strata/api'
import type { Commit } from '@strata/server/store'
import { sleep } from '@strata/world'
import { beacons } from '../../examples/lighthouse/beacon.ts'
import { leasesPath } from '../support/collector-fleet.ts'
import { agreementPath, beacon, beaconPath } from '../support/fleet.ts'
import { GatedFleet, type GatedServer } from '../support/gated-fleet.ts'
import { openWatch } from '../support/open-watch.ts'

const on = { AgreedServing: true, EnableCoordinatedDiscoveryDocument: true }
const settleMs = 1_000
const group = '/apis/lighthouse.example.dev'
const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** The versions of beacons in every place where a client could learn of them; all places say the same. */
async function servedBy(server: GatedServer): Promise<string> {
  const found = new Map<string, string>()
  const legacy = (await server.get(group)).body
  found.set('legacy', (legacy.versions ?? []).map((each: { version: string }) => each.version).join())
  const items: { metadata: { name?: string }; versions: { version: string }[] }[] = (
    await server.get('/apis', { accept: aggregated })
  ).body.items
  const mine = items.find(({ metadata }) => metadata.name === 'lighthouse.example.dev')
  found.set('aggregated', (mine?.versions ?? []).map((each) => each.version).join())
  const has = async (pathOf: (versionName: string) => string): Promise<string> => {
    const there: string[] = []
    for (const each of ['v1', 'v2']) if ((await server.get(pathOf(each))).status === 200) there.push(each)
    return there.join()
  }
  found.set('resources', await has((each) => `${group}/${each}`))
  found.set('openapi', await has((each) => `/openapi/v3${group}/${each}`))
  found.set('routes', await has((each) => `${group}/${each}/beacons`))
  assert.equal(new Set(found.values()).size, 1, `${server.name}: ${JSON.stringify([...found])}`)
  return [...found.values()][0] ?? ''
}

async function eachServes(servers: readonly GatedServer[], want: string, when: string): Promise<void> {
  for (const server of servers) assert.equal(await servedBy(server), want, `${when}: ${server.name}`)
}

async function startThree(fleet: GatedFleet, release: string): Promise<GatedServer[]> {
  const servers: GatedServer[] = []
  for (const name of ['a', 'b', 'c']) servers.push(await fleet.start(name, release))
  await fleet.pass(settleMs)
  return servers
}

/** Stops a server and starts it again in another release, as an upgrade does; looks at the others in between. */
async function replace(
  fleet: GatedFleet,
  servers: GatedServer[],
  index: number,
  release: string,
  meanwhile: string,
): Promise<void> {
  const name = servers[index]?.name ?? ''
  await servers[index]?.stop()
  const others = servers.filter((_, at) => at !== index)
  await fleet.pass(10_000)
  await eachServes(others, meanwhile, `without ${name}`)
  servers[index] = await fleet.start(name, release)
  await fleet.pass(settleMs)
}

test('agreed serving: x to x+1, a new version comes when the last server has it; back, it goes with the first', async () => {
  const fleet = new GatedFleet('up and down', on)
  const servers = await startThree(fleet, 'x')
  await eachServes(servers, 'v1', 'x')
  for (const index of [0, 1, 2]) {
    await replace(fleet, servers, index, 'x+1', 'v1')
    const when = `${index + 1} of 3 upgraded`
    await eachServes(servers, index < 2 ? 'v1' : 'v1,v2', when)
    // Two releases, and the same documents all the time.
    for (const server of servers) assert.equal((await server.get('/apis')).body.consistent, true, when)
  }
  for (const index of [2, 1, 0]) {
    await replace(fleet, servers, index, 'x', index === 2 ? 'v1,v2' : 'v1')
    await eachServes(servers, 'v1', `${index} left to roll back`)
  }
})

test('agreed serving: a plain rolling restart takes nothing away and brings nothing', async () => {
  const fleet = new GatedFleet('restarts', on)
  const whole = await startThree(fleet, 'x+1')
  for (const index of [0, 1, 2]) await replace(fleet, whole, index, 'x+1', 'v1,v2')
  // Half-way through an upgrade, the old one too is restarted as it was.
  await replace(fleet, whole, 2, 'x', 'v1,v2')
  for (const index of [0, 1, 2]) await replace(fleet, whole, index, index === 2 ? 'x' : 'x+1', 'v1')
  await eachServes(whole, 'v1', 'half-way')
})

test('agreed serving: an old server that stays away is missed for a minute, and where it is expected for ever', async () => {
  for (const [expectedServers, want] of [
    [0, 'v1,v2'],
    [2, 'v1'],
  ] as const) {
    const fleet = new GatedFleet(`away ${expectedServers}`, on)
    const a = await fleet.start('a', 'x+1', { expectedServers })
    const b = await fleet.start('b', 'x')
    await fleet.pass(settleMs)
    await eachServes([a, b], 'v1', 'both')
    await b.stop()
    await fleet.pass(30_000)
    await eachServes([a], 'v1', 'half a minute')
    await fleet.pass(60_000)
    await eachServes([a], want, 'a minute and a half')
  }
})

test('agreed serving: who held a version back is waited for, though another one comes meanwhile', async () => {
  const fleet = new GatedFleet('two at once', on)
  const [a, b, c] = [
    await fleet.start('a', 'x+1'),
    await fleet.start('b', 'x+1'),
    await fleet.start('c', 'x'),
  ]
  await fleet.pass(settleMs)
  await c.stop()
  await fleet.pass(2_000)
  a.process.crash()
  await fleet.pass(500)
  await fleet.start('a', 'x+1')
  await fleet.pass(2_000)
  await eachServes([b], 'v1', 'a is back after a kill, c is away for 5 s')
  await fleet.start('c', 'x+1')
  await fleet.pass(settleMs)
  await eachServes([b], 'v1,v2', 'c is back in the new release')
})

/** A kind that only some releases have. */
function kindOf(plural: string, kind: string, release: string): ResourceDefinition {
  const definition = beacons as unknown as ResourceDefinition
  const releases = Object.entries(definition.releases ?? {}).filter(([name]) => name === release)
  return {
    ...definition,
    ...{ plural, resource: plural, singular: kind.toLowerCase(), kind, shortNames: [] },
    storagePrefix: `lighthouse.example.dev/${plural}`,
    releases: Object.fromEntries(releases),
  }
}

test('agreed serving: a kind that one release lacks is served by all or by none', async () => {
  const fleet = new GatedFleet('kinds', on)
  const resources = [kindOf('buoys', 'Buoy', 'x+1'), kindOf('lamps', 'Lamp', 'x')]
  const served = async (servers: readonly GatedServer[]): Promise<string[]> => {
    const found: string[] = []
    for (const server of servers) {
      for (const plural of ['buoys', 'lamps']) {
        if ((await server.get(`${group}/v1/${plural}`)).status === 200) found.push(`${server.name} ${plural}`)
      }
    }
    return found
  }
  let a = await fleet.start('a', 'x', { resources })
  let b = await fleet.start('b', 'x', { resources })
  await fleet.pass(settleMs)
  assert.deepEqual(await served([a, b]), ['a lamps', 'b lamps'])
  b.process.crash()
  await fleet.pass(500)
  b = await fleet.start('b', 'x', { resources })
  assert.deepEqual(await served([a, b]), ['a lamps', 'b lamps'])
  await b.stop()
  assert.deepEqual(await served([a]), ['a lamps'])
  b = await fleet.start('b', 'x+1', { resources })
  await fleet.pass(settleMs)
  assert.deepEqual(await served([a, b]), [])
  await fleet.pass(90_000)
  assert.deepEqual(await served([a, b]), [], 'for as long as it takes')
  await a.stop()
  await fleet.pass(5_000)
  assert.deepEqual(await served([b]), [])
  a = await fleet.start('a', 'x+1', { resources })
  await fleet.pass(settleMs)
  assert.deepEqual(await served([a, b]), ['a buoys', 'b buoys'])
})

test('agreed serving: a server that is starting takes nothing away before it has reported', async () => {
  const fleet = new GatedFleet('starting', on)
  const [a, b] = [await fleet.start('a', 'x+1'), await fleet.start('b', 'x+1')]
  await fleet.pass(settleMs)
  let isHeld = true
  const { clock } = fleet.simulation
  const late = {
    beforeCommit: async ({ writes }: Commit): Promise<void> => {
      const isEntry = writes.some(({ key }) => key.includes('/storageagreements/'))
      while (isHeld && isEntry) await sleep(clock, 1_000)
    },
  }
  const c = fleet.create('c', 'x', { hooks: late })
  await fleet.pass(90_000)
  await eachServes([a, b], 'v1,v2', 'a Lease without an entry')
  assert.equal((await a.get(`${leasesPath}/${c.server.coordinator.identity.serverID}`)).status, 200)
  isHeld = false
  await fleet.settle(c.ready)
  await fleet.pass(settleMs)
  await eachServes([a, b, c], 'v1', 'it has reported')
})

test('agreed serving: a request for a version that is withheld gets the reason, and watches of one that goes are ended', async () => {
  const fleet = new GatedFleet('withheld', on)
  const a = await fleet.start('a', 'x+1')
  await fleet.pass(settleMs)
  assert.equal((await a.ask('POST', beaconPath('v2'), beacon('v2', 'one', 5))).status, 201)
  const [old, young] = [
    await fleet.settle(openWatch(a.server, `${group}/v1/beacons?watch=true`)),
    await fleet.settle(openWatch(a.server, `${group}/v2/beacons?watch=true`)),
  ]
  const b = await fleet.start('b', 'x')
  await fleet.pass(settleMs)
  assert.deepEqual([old.ended, young.ended], [false, true])
  assert.deepEqual(
    young.events.map(({ type }) => type),
    ['ADDED'],
  )
  const message = `the server could not find the requested resource: lighthouse.example.dev/v2 is served when every API server serves it; ${b.server.coordinator.identity.serverID} does not`
  for (const path of [beaconPath('v2', 'one'), `${group}/v2`, beaconPath('v2')]) {
    const { status, body } = await a.get(path)
    assert.deepEqual([status, body.reason, body.message], [404, 'NotFound', message], path)
  }
  assert.equal((await a.ask('PUT', beaconPath('v2', 'one'), beacon('v2', 'one', 6))).status, 404)
  const { paths } = (await a.get('/openapi/v2')).body
  assert.deepEqual([`${group}/v1/beacons` in paths, `${group}/v2/beacons` in paths], [true, false])
  assert.equal((await a.get(`${group}/v9`)).body.message, 'the server could not find the requested resource')
  // Objects that were written in the removed version can be read in the other.
  assert.equal((await b.get(beaconPath('v1', 'one'))).body.spec.everySeconds, 5)
  assert.deepEqual((await a.get(agreementPath)).body.status.servedVersions, ['lighthouse.example.dev/v1'])
})

test('agreed serving: releases that have nothing in common serve nothing of it, and everything else', async () => {
  const fleet = new GatedFleet('nothing in common', on)
  const a = await fleet.start('a', 'x')
  const b = await fleet.start('b', 'x+3')
  await fleet.pass(settleMs)
  await eachServes([a, b], '', 'x and x+3')
  assert.equal((await a.get('/api/v1/namespaces/default/configmaps')).status, 200)
  await a.stop()
  await fleet.pass(90_000)
  await eachServes([b], 'v2', 'x+3 alone')
})

test('agreed serving: without the gate each server serves what it has', async () => {
  const fleet = new GatedFleet('gate off', {})
  const a = await fleet.start('a', 'x+1')
  const b = await fleet.start('b', 'x')
  await fleet.pass(settleMs)
  assert.deepEqual([await servedBy(a), await servedBy(b)], ['v1,v2', 'v1'])
})

test('agreed serving: beside a server that does not record, an empty store is served at once, in either order', async () => {
  const silent = { gates: { StorageVersionAPI: false } }
  for (const first of ['a', 'b', 'both']) {
    const fleet = new GatedFleet(`silent, ${first} first`, on)
    const servers = (first === 'b' ? ['b', 'a'] : ['a', 'b']).map(
      (name) => () => fleet.create(name, 'x+1', { delayMs: 20, ...(name === 'b' ? silent : {}) }),
    )
    const started: (GatedServer & { readonly ready: Promise<void> })[] = []
    for (const create of servers) {
      const server = create()
      started.push(server)
      if (first !== 'both') await fleet.settle(server.ready)
    }
    for (const { ready } of started) await fleet.settle(ready)
    const a = started.find(({ name }) => name === 'a')
    await fleet.pass(settleMs)
    assert.ok(a)
    await eachServes([a], 'v1,v2', first)
    for (const path of [
      '/api/v1/configmaps',
      '/apis/rbac.authorization.k8s.io/v1',
      '/apis/apiextensions.k8s.io/v1',
    ]) {
      assert.equal((await a.get(path)).status, 200, `${first}: ${path}`)
    }
    const { status, body } = await a.get('/readyz/agreed-serving')
    assert.deepEqual([status, body], [200, 'ok'], first)
  }
})

test('agreed serving: a new version waits for a server that does not record, says so, and comes when it has left', async () => {
  const fleet = new GatedFleet('silent upgrade', on)
  let a = await fleet.start('a', 'x')
  const b = await fleet.start('b', 'x', { gates: { StorageVersionAPI: false } })
  await a.stop()
  a = await fleet.start('a', 'x+1')
  await fleet.pass(90_000)
  await eachServes([a], 'v1', 'it is unknown what b serves')
  const { serverID } = b.server.coordinator.identity
  assert.match((await a.get(`${group}/v2`)).body.message, new RegExp(`; ${serverID} does not$`))
  const held = `beacons of lighthouse.example.dev/v2 (for ${serverID})`
  const { status, body } = await a.get('/readyz/agreed-serving')
  assert.deepEqual([status, body], [500, `internal server error: ${held}\n`])
  assert.equal((await a.get('/readyz')).status, 200)
  await b.stop()
  await fleet.pass(90_000)
  await eachServes([a], 'v1,v2', 'b has left')
  assert.equal((await a.get('/readyz/agreed-serving')).status, 200)
})
