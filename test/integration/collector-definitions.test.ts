import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverId } from '@strata/server'
import {
  agreementsPath,
  CollectorFleet,
  leaseDurationMs,
  storageVersionsPath,
} from '../support/collector-fleet.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const name = 'example.org.gadgets'
const crd = {
  metadata: { name: 'gadgets.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget', singular: 'gadget', listKind: 'GadgetList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}

/** The servers that have an entry in the object; undefined if the object is missing. */
async function shown(fleet: CollectorFleet): Promise<string[] | undefined> {
  const { status, body } = await fleet.ask('a', 'GET', `${storageVersionsPath}/${name}`)
  return status === 404
    ? undefined
    : body.status.storageVersions.map(({ apiServerID }: { apiServerID: string }) => apiServerID)
}

const define = async (fleet: CollectorFleet): Promise<void> => {
  assert.equal((await fleet.ask('a', 'POST', definitions, crd)).status, 201)
  await fleet.pass(2_000)
}
const withdraw = async (fleet: CollectorFleet): Promise<void> => {
  assert.equal((await fleet.ask('a', 'DELETE', `${definitions}/gadgets.example.org`)).status, 200)
  await fleet.pass(2_000)
}

test('collector, vanished resources: defined and withdrawn again and again, no object is left, and no epoch goes back', async () => {
  const fleet = new CollectorFleet('churn')
  await fleet.startServer('a')
  await fleet.startServer('b')
  fleet.startControllers('controllers', ['a'])
  const ids = [serverId('a', 'a'), serverId('b', 'b')].sort()
  let epoch = 0
  for (let round = 0; round < 3; round++) {
    await define(fleet)
    assert.deepEqual(await shown(fleet), ids)
    await withdraw(fleet)
    assert.equal(await shown(fleet), undefined)
    const { status } = (await fleet.ask('a', 'GET', `${agreementsPath}/${name}`)).body
    assert.deepEqual(status.servers, [])
    assert.ok(status.epoch >= epoch)
    epoch = status.epoch
  }
})

test('collector, vanished resources: the entry of a server that was not there when it went goes with its Lease', async () => {
  const fleet = new CollectorFleet('churn-dead')
  await fleet.startServer('a')
  const b = await fleet.startServer('b')
  fleet.startControllers('controllers', ['a'])
  await define(fleet)
  b.process.crash()
  await withdraw(fleet)
  assert.deepEqual(await shown(fleet), [serverId('b', 'b')])
  await fleet.pass(2 * leaseDurationMs)
  assert.equal(await shown(fleet), undefined)
})

test('collector, vanished resources: an object that never had an entry is its client’s, and stays', async () => {
  const fleet = new CollectorFleet('churn-empty')
  await fleet.startServer('a')
  fleet.startControllers('controllers', ['a'])
  const object = { metadata: { name: 'example.org.widgets' }, spec: {} }
  assert.equal((await fleet.ask('a', 'POST', storageVersionsPath, object)).status, 201)
  await fleet.pass(2 * leaseDurationMs)
  assert.equal((await fleet.ask('a', 'GET', `${storageVersionsPath}/example.org.widgets`)).status, 200)
})
