import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DiscoveryDocHash } from '@strata/api'
import { serverId } from '@strata/server'
import type { Commit } from '@strata/server/store'
import { sleep, utf8 } from '@strata/world'
import { leasesPath } from '../support/collector-fleet.ts'
import { GatedFleet, type GatedServer } from '../support/gated-fleet.ts'
import { startServer } from '../support/one-server.ts'

const minute = 60_000
const docHashesKey = '/registry/apiservercoordination.k8s.io/discoverydochashes/built-in'
const on = { EnableCoordinatedDiscoveryDocument: true }
const hashesPath = '/apis/apiservercoordination.k8s.io/v1alpha1/discoverydochashes'
const objectPath = `${hashesPath}/built-in`
const documents = [
  '/api',
  '/apis',
  '/api/v1',
  '/apis/lighthouse.example.dev',
  '/apis/lighthouse.example.dev/v1',
]

const idOf = ({ name, process }: GatedServer): string => serverId(process.processes.hostname, name)

async function hashesOf(server: GatedServer): Promise<readonly DiscoveryDocHash[]> {
  const { status, body } = await server.get(objectPath)
  return status === 200 ? body.hashes : []
}

/** The field `consistent` of all documents; fails if they differ. */
async function consistent(server: GatedServer): Promise<boolean> {
  const said = new Set<unknown>()
  for (const path of documents) said.add((await server.get(path)).body.consistent)
  assert.equal(said.size, 1, `${server.name}: ${[...said]}`)
  const [only] = said
  assert.equal(typeof only, 'boolean')
  return only === true
}

const settleMs = 1_000

test('coordinated discovery: without the gate clients see no difference', async () => {
  const { send } = await startServer('no gate')
  for (const path of documents) assert.ok(!('consistent' in (await send('GET', path)).body), path)
  assert.equal((await send('GET', objectPath)).status, 404)
  assert.equal(
    (
      await send(
        'GET',
        '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions/apiservercoordination.k8s.io.discoverydochashes',
      )
    ).status,
    404,
  )
})

test('coordinated discovery: equal servers are consistent, and say so in every document', async () => {
  const fleet = new GatedFleet('equal', on)
  const [a, b, c] = [await fleet.start('a', 'x'), await fleet.start('b', 'x'), await fleet.start('c', 'x')]
  await fleet.pass(settleMs)
  for (const server of [a, b, c]) assert.equal(await consistent(server), true, server.name)
  const hashes = await hashesOf(b)
  assert.deepEqual(
    hashes.map(({ apiServerID }) => apiServerID),
    [a, b, c].map(idOf).sort(),
  )
  assert.equal(new Set(hashes.map(({ builtInAPIHash }) => builtInAPIHash)).size, 1)
  // Aggregated discovery has no such field, and its name changes only with what it says.
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  assert.ok(!('consistent' in (await a.get('/apis', { accept })).body))
  const { components } = (await a.get('/openapi/v3/apis')).body
  for (const type of ['APIGroup', 'APIGroupList']) {
    const { properties } = components.schemas[`io.k8s.apimachinery.pkg.apis.meta.v1.${type}`]
    assert.equal(properties.consistent.type, 'boolean', type)
  }
  const table = await a.get(hashesPath, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' })
  assert.deepEqual(table.body.rows[0].cells.slice(0, 3), ['built-in', 3, 1])
})

test('coordinated discovery: through a rolling upgrade it is false until all are of one release', async () => {
  const fleet = new GatedFleet('rolling', on)
  const servers = [await fleet.start('a', 'x'), await fleet.start('b', 'x'), await fleet.start('c', 'x')]
  await fleet.pass(settleMs)
  for (const [index, old] of servers.entries()) {
    assert.equal(await consistent(old), index === 0, old.name)
    await old.stop()
    servers[index] = await fleet.start(old.name, 'x+1')
    await fleet.pass(settleMs)
    const isLast = index === servers.length - 1
    for (const server of servers) assert.equal(await consistent(server), isLast, `${index} ${server.name}`)
  }
})

test('coordinated discovery: a server that leaves takes its entry along, before its Lease', async () => {
  const fleet = new GatedFleet('leaving', on)
  const [a, b] = [await fleet.start('a', 'x'), await fleet.start('b', 'x+1')]
  await fleet.pass(settleMs)
  assert.equal(await consistent(a), false)
  await b.stop()
  assert.deepEqual(
    (await hashesOf(a)).map(({ apiServerID }) => apiServerID),
    [idOf(a)],
  )
  assert.equal(await consistent(a), true)
})

test('coordinated discovery: the entry of a process that was killed does not speak for the next one', async () => {
  const fleet = new GatedFleet('killed', on)
  const [a, b] = [await fleet.start('a', 'x'), await fleet.start('b', 'x')]
  await fleet.pass(settleMs)
  const before = (await hashesOf(a)).find(({ apiServerID }) => apiServerID === idOf(b))
  b.process.crash()
  const id = idOf(b)
  const isReport = ({ writes }: Commit): boolean =>
    writes.some(
      (each) => each.kind === 'put' && each.key.endsWith('/built-in') && utf8.decode(each.value).includes(id),
    )
  const { clock } = fleet.simulation
  const late = {
    beforeCommit: (commit: Commit) => (isReport(commit) ? sleep(clock, 3_000) : Promise.resolve()),
  }
  const next = await fleet.start('b', 'x+1', { hooks: late })
  // It is at work, and has not reported yet.
  assert.equal(
    (await a.get(`${leasesPath}/${id}`)).body.spec.holderIdentity,
    next.server.coordinator.identity.process,
  )
  assert.deepEqual(
    (await hashesOf(a)).filter(({ apiServerID }) => apiServerID === id),
    [],
  )
  for (const server of [a, next]) assert.equal(await consistent(server), false)
  // Its Lease has moved meanwhile, under which it reports: it reports again.
  await fleet.pass(7_000)
  const after = (await hashesOf(a)).find(({ apiServerID }) => apiServerID === id)
  assert.ok(after && after.builtInAPIHash !== before?.builtInAPIHash)
})

test('coordinated discovery: a report that comes after the end of its process does not speak for the next one either', async () => {
  const fleet = new GatedFleet('late', on)
  const a = await fleet.start('a', 'x')
  const sent = Promise.withResolvers<void>()
  const puts = ({ writes }: Commit, part: string): boolean => writes.some(({ key }) => key.includes(part))
  // Its report is on its way for long, and so it never comes to saying that it is registered.
  const old = fleet.create('b', 'x', {
    hooks: {
      beforeCommit: async (commit) => {
        if (puts(commit, '/built-in')) await sent.promise
        if (puts(commit, '/storageagreements/')) await new Promise(() => {})
      },
    },
  })
  old.ready.catch(() => {})
  const id = idOf(old)
  await fleet.pass(500)
  old.process.crash()
  // The next one has looked for reports of the one before, found none, and is about to take the Lease.
  const leaseKey = `/registry/leases/kube-system/${id}`
  const stored = (key: string): string =>
    utf8.decode(fleet.data.read([key]).entries[0]?.value ?? new Uint8Array())
  let seen: string | undefined
  const next = fleet.create('b', 'x+1', {
    hooks: {
      beforeCommit: async (commit) => {
        if (!puts(commit, leaseKey)) return
        sent.resolve()
        await sleep(fleet.simulation.clock, 100)
      },
      afterCommit: async () => {
        if (stored(leaseKey).includes(holder())) seen ??= stored(docHashesKey)
      },
    },
  })
  const holder = (): string => next.server.coordinator.identity.process
  await fleet.settle(next.ready)
  assert.ok(seen?.includes(idOf(a)))
  assert.ok(!seen?.includes(id), 'the Lease was taken with the report of the process before standing')
  await fleet.pass(settleMs)
  assert.equal((await hashesOf(a)).length, 2)
})

test('coordinated discovery: heartbeats every five minutes; silence of fifteen ends an entry', async () => {
  const fleet = new GatedFleet('heartbeats', on)
  const [a, b, c] = [await fleet.start('a', 'x'), await fleet.start('b', 'x'), await fleet.start('c', 'x')]
  await fleet.pass(settleMs)
  const timeOf = async (id: string): Promise<string | undefined> =>
    (await hashesOf(a)).find(({ apiServerID }) => apiServerID === id)?.lastHeartbeatTime
  const first = await timeOf(idOf(b))
  await fleet.pass(4 * minute)
  assert.equal(await timeOf(idOf(b)), first)
  await fleet.pass(2 * minute)
  assert.notEqual(await timeOf(idOf(b)), first)

  // A clock that is wrong by days, here or there, expels no server.
  a.process.jumpWall(3 * 24 * 60 * minute)
  b.process.jumpWall(-3 * 24 * 60 * minute)
  c.process.crash()
  await fleet.pass(9 * minute)
  assert.equal((await hashesOf(a)).length, 3)
  assert.equal(await consistent(a), true)
  await fleet.pass(8 * minute)
  assert.deepEqual(
    (await hashesOf(a)).map(({ apiServerID }) => apiServerID),
    [a, b].map(idOf).sort(),
  )
  // Its Lease still says that it may come back.
  assert.equal(await consistent(a), false)
  await a.ask('DELETE', `${leasesPath}/${idOf(c)}`)
  assert.equal(await consistent(a), true)
})

test('coordinated discovery: an entry that was taken out is put back at once', async () => {
  const fleet = new GatedFleet('put back', on)
  const [a, b] = [await fleet.start('a', 'x'), await fleet.start('b', 'x')]
  await fleet.pass(settleMs)
  b.process.freeze()
  await fleet.pass(25 * minute)
  assert.deepEqual(
    (await hashesOf(a)).map(({ apiServerID }) => apiServerID),
    [idOf(a)],
  )
  b.process.thaw()
  await fleet.pass(5_000)
  assert.equal((await hashesOf(a)).length, 2)
  assert.equal(await consistent(a), true)
})

test('coordinated discovery: all asleep, and the first to wake removes no entry', async () => {
  const fleet = new GatedFleet('asleep', on)
  const servers = [await fleet.start('a', 'x'), await fleet.start('b', 'x'), await fleet.start('c', 'x')]
  await fleet.pass(settleMs)
  for (const { process } of servers) process.freeze()
  await fleet.pass(60 * minute)
  const [first, ...others] = servers
  first?.process.thaw()
  await fleet.pass(1 * minute)
  assert.equal((await hashesOf(first as GatedServer)).length, 3)
  for (const { process } of others) process.thaw()
})

test('coordinated discovery: no store, no claim, and discovery is still answered', async () => {
  const fleet = new GatedFleet('no store', on)
  const a = await fleet.start('a', 'x')
  await fleet.pass(settleMs)
  assert.equal(await consistent(a), true)
  a.isCutOff = true
  const beganMs = fleet.simulation.nowMs
  assert.equal(await consistent(a), false)
  assert.ok(fleet.simulation.nowMs - beganMs <= documents.length * 1_100)
  // For longer than an entry may be silent: no heartbeat could have arrived meanwhile.
  await fleet.pass(20 * minute)
  a.isCutOff = false
  await fleet.pass(10_000)
  assert.equal(await consistent(a), true)
})

test('coordinated discovery: a server without the feature has a Lease and no entry', async () => {
  const fleet = new GatedFleet('mixed', on)
  const a = await fleet.start('a', 'x')
  const b = await fleet.start('b', 'x', { gates: {} })
  await fleet.pass(settleMs)
  assert.equal(await consistent(a), false)
  await b.stop()
  assert.equal(await consistent(a), true)
})

test('coordinated discovery: as many servers as were expected', async () => {
  const fleet = new GatedFleet('expected', on)
  const a = await fleet.start('a', 'x', { expectedServers: 2 })
  await fleet.pass(settleMs)
  assert.equal(await consistent(a), false)
  await fleet.start('b', 'x')
  await fleet.pass(settleMs)
  assert.equal(await consistent(a), true)
})

test('coordinated discovery: clients read the hashes and do not write them', async () => {
  const fleet = new GatedFleet('read only', on)
  const a = await fleet.start('a', 'x')
  await fleet.pass(settleMs)
  const { body: stored } = await a.get(objectPath)
  const { body: list } = await a.get(hashesPath)
  assert.equal(list.kind, 'DiscoveryDocHashesList')
  assert.deepEqual(list.items.length, 1)
  const object = { ...stored, hashes: [] }
  for (const [method, path] of [
    ['POST', hashesPath],
    ['PUT', objectPath],
    ['DELETE', objectPath],
    ['DELETE', hashesPath],
    ['PATCH', objectPath],
  ] as const) {
    const { status, body } = await a.ask(method, path, object)
    assert.deepEqual([status, body.reason], [405, 'MethodNotAllowed'], `${method} ${path}`)
  }
  const [shown] = (await a.get('/apis/apiservercoordination.k8s.io/v1alpha1')).body.resources
  assert.deepEqual(shown.verbs, ['get', 'list', 'watch'])
})

/** The hashes of lighthouse.example.dev/v1 and /v2, kind Beacon. */
const [hashOfV1, hashOfV2] = ['5nQIdifbPTE=', '7Sod4LdVZXk=']

async function shownHashes(servers: readonly GatedServer[]): Promise<readonly string[]> {
  const hashes: string[] = []
  for (const server of servers) {
    for (const versionName of ['v1', 'v2']) {
      const { body } = await server.get(`/apis/lighthouse.example.dev/${versionName}`)
      hashes.push(body.resources[0].storageVersionHash)
    }
  }
  return hashes
}

test('storage version hash: servers that report show what each of them writes', async () => {
  const fleet = new GatedFleet('hashes', {})
  const servers = [await fleet.start('a', 'x+1'), await fleet.start('b', 'x+1')]
  assert.deepEqual(await shownHashes(servers), [hashOfV1, hashOfV1, hashOfV1, hashOfV1])
  await servers[0]?.stop()
  servers[0] = await fleet.start('a', 'x+2')
  assert.deepEqual(await shownHashes(servers), [hashOfV2, hashOfV2, hashOfV1, hashOfV1])
})

test('storage version hash: servers that vote all show what is selected, before and after it moves', async () => {
  const fleet = new GatedFleet('selected', on)
  const vote = { form: 'vote' } as const
  const names = ['a', 'b', 'c']
  const servers: GatedServer[] = []
  for (const name of names) servers.push(await fleet.start(name, 'x+1', vote))
  const aggregatedOf = async (server: GatedServer): Promise<unknown> => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
    return (await server.get('/apis', { accept })).headers['etag']
  }
  const [etag, before] = [
    await aggregatedOf(servers[0] as GatedServer),
    (await hashesOf(servers[0] as GatedServer))[0],
  ]
  for (const [index, name] of names.entries()) {
    assert.deepEqual(new Set(await shownHashes(servers)), new Set([hashOfV1]), name)
    await servers[index]?.stop()
    servers[index] = await fleet.start(name, 'x+2', vote)
    await fleet.pass(settleMs)
    // Two releases, and yet the same documents: what is written is what was selected.
    for (const server of servers) assert.equal(await consistent(server), true, `${name} ${server.name}`)
  }
  assert.deepEqual(new Set(await shownHashes(servers)), new Set([hashOfV2]))
  const after = (await hashesOf(servers[0] as GatedServer))[0]
  assert.notEqual(after?.builtInAPIHash, before?.builtInAPIHash)
  // It does not show the written version, so no client has to read it again.
  assert.equal(await aggregatedOf(servers[0] as GatedServer), etag)
})
