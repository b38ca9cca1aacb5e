import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpResponse, readAll, utf8 } from '@strata/world'
import { CollectorFleet } from '../support/collector-fleet.ts'

type Through = NonNullable<Parameters<CollectorFleet['startControllers']>[2]>

const maps = '/api/v1/namespaces/default/configmaps'

interface Owner {
  readonly name: string
  readonly uid: string
  readonly blockOwnerDeletion?: boolean
}

async function start(seed: string, through?: Through) {
  const fleet = new CollectorFleet(seed)
  await fleet.startServer('a')
  const controllers = fleet.startControllers('controllers', ['a'], through, ['garbage-collector'])
  await fleet.pass(5_000)
  const ask = (method: string, path: string, body?: unknown) => fleet.ask('a', method, path, body)
  /** The uid of a new config map. */
  const create = async (name: string, owners: readonly Owner[] = [], metadata = {}): Promise<string> => {
    const ownerReferences = owners.map((owner) => ({ apiVersion: 'v1', kind: 'ConfigMap', ...owner }))
    const answer = await ask('POST', maps, { metadata: { name, ownerReferences, ...metadata } })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body.metadata.uid
  }
  const remove = (name: string, propagationPolicy: string) =>
    ask('DELETE', `${maps}/${name}`, { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy })
  const names = async (): Promise<string[]> =>
    (await ask('GET', maps)).body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)
  const get = async (name: string) => (await ask('GET', `${maps}/${name}`)).body
  return { fleet, controllers, ask, create, remove, names, get }
}

test('garbage: objects whose owners are gone go, and objects with an owner stay', async () => {
  const { fleet, create, remove, names, get } = await start('background')
  const a = { name: 'a', uid: await create('a') }
  const b = { name: 'b', uid: await create('b', [a]) }
  await create('c', [b])
  const other = { name: 'other', uid: await create('other') }
  await create('shared', [a, other])
  await create('free')
  await remove('a', 'Background')
  await fleet.pass(5_000)
  assert.deepEqual(await names(), ['free', 'other', 'shared'])
  const { ownerReferences } = (await get('shared')).metadata
  assert.deepEqual(
    ownerReferences.map(({ name }: { name: string }) => name),
    ['other'],
  )
})

test('garbage: in the foreground the owner goes last, once those that hold it back are gone', async () => {
  const { fleet, ask, create, remove, names } = await start('foreground')
  const a = { name: 'a', uid: await create('a'), blockOwnerDeletion: true }
  await create('b', [a], { finalizers: ['example.dev/hold'] })
  await remove('a', 'Foreground')
  await fleet.pass(5_000)
  assert.deepEqual(await names(), ['a', 'b'], 'b is held by its finalizer, and a waits for it')
  await ask('PUT', `${maps}/b`, {
    metadata: { name: 'b', ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', ...a }] },
  })
  await fleet.pass(5_000)
  assert.deepEqual(await names(), [])
})

test('garbage: objects that own each other do not wait for each other for ever', async () => {
  const { fleet, ask, create, remove, names, get } = await start('circle')
  const a = { name: 'a', uid: await create('a'), blockOwnerDeletion: true }
  const b = { name: 'b', uid: await create('b', [a]), blockOwnerDeletion: true }
  const { metadata } = await get('a')
  await ask('PUT', `${maps}/a`, {
    metadata: { ...metadata, ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', ...b }] },
  })
  await fleet.pass(2_000)
  await remove('a', 'Foreground')
  await fleet.pass(10_000)
  assert.deepEqual(await names(), [])
})

test('garbage: orphans stay, and have no owner', async () => {
  const { fleet, create, remove, names, get } = await start('orphan')
  const a = { name: 'a', uid: await create('a') }
  await create('b', [a])
  await remove('a', 'Orphan')
  await fleet.pass(5_000)
  assert.deepEqual(await names(), ['b'])
  assert.equal((await get('b')).metadata.ownerReferences, undefined)
})

test('garbage: an owner in another namespace, or of another uid, is no owner', async () => {
  const { fleet, ask, create, names } = await start('strangers')
  await ask('POST', '/api/v1/namespaces', { metadata: { name: 'far' } })
  const far = (await ask('POST', '/api/v1/namespaces/far/configmaps', { metadata: { name: 'x' } })).body
  await create('stray', [{ name: 'x', uid: far.metadata.uid }])
  const here = await create('here')
  await create('impostor', [{ name: 'here', uid: '11111111-2222-3333-4444-555555555555' }])
  await create('child', [{ name: 'here', uid: here }])
  await fleet.pass(5_000)
  assert.deepEqual(await names(), ['child', 'here'])
})

test('garbage: a kind that is not served may exist: its objects keep what they own', async () => {
  const { fleet, ask, names } = await start('unknown kind')
  const owner = { apiVersion: 'elsewhere.dev/v1', kind: 'Thing', name: 't', uid: 'u-1' }
  await ask('POST', maps, { metadata: { name: 'kept', ownerReferences: [owner] } })
  await fleet.pass(120_000)
  assert.deepEqual(await names(), ['kept'])
})

test('garbage: a collector that starts late finds what was left meanwhile', async () => {
  const { fleet, controllers, create, remove, names } = await start('late')
  const a = { name: 'a', uid: await create('a') }
  await create('b', [a])
  controllers.process.crash()
  await remove('a', 'Background')
  await fleet.pass(60_000)
  assert.deepEqual(await names(), ['b'])
  fleet.startControllers('second', ['a'], undefined, ['garbage-collector'])
  await fleet.pass(60_000)
  assert.deepEqual(await names(), [])
})

const beaconGroup = 'lighthouse.example.dev'
const beacons = `/apis/${beaconGroup}/v1/namespaces/default/beacons`

/**
 * The group of beacons, as if a backend served it. `away`: discovery marks it as stale and names no resources, and requests get
 * 503, as from an aggregator. `broken`: discovery still names its resources.
 */
function behindBackend() {
  const state = { is: 'up' as 'up' | 'away' | 'broken' }
  const through: Through = async (request, send): Promise<HttpResponse> => {
    const isOwn = request.target.includes(beaconGroup)
    if (isOwn && state.is !== 'up') return { status: 503, headers: {}, body: utf8.encode('no backend') }
    const answer = await send(request)
    if (request.target !== '/apis' || state.is !== 'away') return answer
    const document = JSON.parse(utf8.decode(await readAll(answer.body)))
    for (const { metadata, versions } of document.items) {
      if (metadata.name !== beaconGroup) continue
      for (const version of versions) Object.assign(version, { freshness: 'Stale', resources: undefined })
    }
    return { ...answer, body: utf8.encode(JSON.stringify(document)) }
  }
  return { state, through }
}

async function startBehind(seed: string, first: 'up' | 'away' | 'broken') {
  const { state, through } = behindBackend()
  state.is = first
  const started = await start(seed, through)
  const { ask } = started
  const createBeacon = async (name: string, owner: Owner) => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', ...owner, blockOwnerDeletion: true }]
    const { status, body } = await ask('POST', beacons, {
      ...{ apiVersion: `${beaconGroup}/v1`, kind: 'Beacon', metadata: { name, ownerReferences } },
      spec: { everySeconds: 3 },
    })
    assert.equal(status, 201, JSON.stringify(body))
  }
  const ownersOfBeacons = async (): Promise<Record<string, number>> => {
    const { items } = (await ask('GET', beacons)).body
    // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back.
    return Object.fromEntries(items.map(({ metadata: m }: any) => [m.name, m.ownerReferences?.length ?? 0]))
  }
  return { ...started, state, createBeacon, ownersOfBeacons }
}

test('garbage: a group that is away holds no deletion in the foreground, and its dependents go when it is back', async () => {
  const { fleet, state, create, remove, names, createBeacon, ownersOfBeacons } = await startBehind(
    'foreground while away',
    'away',
  )
  const a = { name: 'a', uid: await create('a'), blockOwnerDeletion: true }
  await create('b', [a])
  await createBeacon('c', a)
  await remove('a', 'Foreground')
  await fleet.pass(10_000)
  assert.deepEqual(await names(), [])
  assert.deepEqual(await ownersOfBeacons(), { c: 1 })
  state.is = 'up'
  await fleet.pass(60_000)
  assert.deepEqual(await ownersOfBeacons(), {})
})

test('garbage: orphaning waits for a group that is away, or its dependents would be deleted later', async () => {
  const { fleet, state, create, remove, names, createBeacon, ownersOfBeacons } = await startBehind(
    'orphan while away',
    'away',
  )
  const a = { name: 'a', uid: await create('a') }
  await createBeacon('c', a)
  await remove('a', 'Orphan')
  await fleet.pass(600_000)
  assert.deepEqual(await names(), ['a'])
  state.is = 'up'
  await fleet.pass(45_000)
  assert.deepEqual(await names(), [])
  assert.deepEqual(await ownersOfBeacons(), { c: 0 })
})

test('garbage: owners that waited for a group go soon after it is back, however long they waited', async () => {
  const { fleet, state, create, remove, names } = await startBehind('prompt', 'away')
  const owners = ['a', 'b', 'c', 'd', 'e', 'f']
  for (const name of owners) {
    await create(name)
    await remove(name, 'Orphan')
    await fleet.pass(9_000)
  }
  await fleet.pass(600_000)
  assert.deepEqual(await names(), owners)
  state.is = 'up'
  // Discovery is read every 30 seconds.
  await fleet.pass(35_000)
  assert.deepEqual(await names(), [])
})

test('garbage: an owner waits in the foreground for dependents of a group that has gone away since, and other owners do not', async () => {
  const { fleet, state, create, remove, names, createBeacon, ownersOfBeacons } = await startBehind(
    'away since',
    'up',
  )
  const a = { name: 'a', uid: await create('a') }
  await create('b')
  await createBeacon('c', a)
  await fleet.pass(5_000)
  state.is = 'away'
  await fleet.pass(60_000)
  await remove('a', 'Foreground')
  await remove('b', 'Foreground')
  await fleet.pass(30_000)
  assert.deepEqual(await names(), ['a'])
  state.is = 'up'
  await fleet.pass(120_000)
  assert.deepEqual([await names(), await ownersOfBeacons()], [[], {}])
})

test('garbage: a kind that cannot be listed holds deletions in the foreground for two minutes', async () => {
  const { fleet, create, remove, names } = await startBehind('broken kind', 'broken')
  await create('a')
  await remove('a', 'Foreground')
  await fleet.pass(60_000)
  assert.deepEqual(await names(), ['a'])
  await fleet.pass(130_000)
  assert.deepEqual(await names(), [])
})
