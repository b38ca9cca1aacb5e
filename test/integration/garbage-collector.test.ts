import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CollectorFleet } from '../support/collector-fleet.ts'

const maps = '/api/v1/namespaces/default/configmaps'

interface Owner {
  readonly name: string
  readonly uid: string
  readonly blockOwnerDeletion?: boolean
}

async function start(seed: string) {
  const fleet = new CollectorFleet(seed)
  await fleet.startServer('a')
  const controllers = fleet.startControllers('controllers', ['a'], undefined, ['garbage-collector'])
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
