import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AgreementStatus, persistedKeysOf } from '@strata/api'
import { EncryptedFleet, type EncryptedServer } from '../support/encrypted-fleet.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const gadgets = '/apis/example.dev/v1/namespaces/default/gadgets'
const record = '/apis/strata.dev/v1alpha1/storageagreements/example.dev.gadgets'
const censuses = '/apis/strata.dev/v1alpha1/storagecensuses'
const prefix = '/registry/example.dev/gadgets/'
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.dev' },
  spec: {
    group: 'example.dev',
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  },
}
const gadget = (name: string) => ({ apiVersion: 'example.dev/v1', kind: 'Gadget', metadata: { name } })
const onlyGadgets = { resources: ['gadgets.example.dev'] }
const statusOf = async ({ ask }: EncryptedServer): Promise<AgreementStatus> =>
  (await ask('GET', record)).body.status

/** Two servers with key `one`; gadgets are defined, one is stored, and the CRD is deleted. */
async function deleteDefinition(seed: string, onLine?: (line: string) => void) {
  const fleet = new EncryptedFleet(seed, onLine)
  const a = await fleet.start('a', ['aesgcm:one'], onlyGadgets)
  const b = await fleet.start('b', ['aesgcm:one'], onlyGadgets)
  assert.equal((await a.ask('POST', definitions, definition)).status, 201)
  await fleet.sleep(5_000)
  assert.equal((await a.ask('POST', gadgets, gadget('x'))).status, 201)
  assert.equal(await fleet.sealOf(`${prefix}default/x`), 'aesgcm:one')
  assert.equal((await a.ask('DELETE', `${definitions}/gadgets.example.dev`)).status, 200)
  await fleet.sleep(5_000)
  assert.equal((await a.ask('GET', `${definitions}/gadgets.example.dev`)).status, 404)
  const status = await statusOf(a)
  assert.deepEqual([status.servers.length, persistedKeysOf(status).length], [0, 1])
  return { fleet, a, b }
}

/** As a store has it that another program wrote to: no CRD, and one object under key `one`. */
function leaveBehind(fleet: EncryptedFleet): void {
  const value = Buffer.from('k8s:enc:aesgcm:v1:one:abc')
  fleet.data.commit({ writes: [{ kind: 'put', key: `${prefix}default/left`, value }], guards: [] })
}

test('encryption: the key of a deleted CRD can be dropped once nothing is stored', async () => {
  const { fleet, a, b } = await deleteDefinition('dropped')
  for (const each of [a, b]) assert.equal(await each.reload('aesgcm:two', 'aesgcm:one'), undefined)
  await fleet.sleep(5_000)
  for (const each of [a, b]) assert.equal(await each.reload('aesgcm:two'), undefined)
  assert.deepEqual(persistedKeysOf(await statusOf(a)), [])
  assert.equal((await b.ask('POST', definitions, definition)).status, 201)
  await fleet.sleep(5_000)
  assert.equal((await a.ask('POST', gadgets, gadget('y'))).status, 201)
  assert.equal(await fleet.sealOf(`${prefix}default/y`), 'aesgcm:two')
  assert.equal((await b.ask('GET', `${gadgets}/y`)).status, 200)
})

test('encryption: a CRD is created again by servers that never had its old key', async () => {
  const { fleet, a, b } = await deleteDefinition('restarted')
  for (const each of [a, b]) await each.stop()
  const c = await fleet.start('a', ['aesgcm:two'], onlyGadgets)
  const d = await fleet.start('b', ['aesgcm:two'], onlyGadgets)
  assert.equal((await c.ask('POST', definitions, definition)).status, 201)
  await fleet.sleep(5_000)
  const created = await d.ask('POST', gadgets, gadget('y'))
  assert.equal(created.status, 201, created.body.message)
  assert.equal(await fleet.sealOf(`${prefix}default/y`), 'aesgcm:two')
  assert.equal((await c.ask('GET', `${gadgets}/y`)).status, 200)
  assert.equal((await statusOf(c)).agreedVersion, 'example.dev/v1')
})

test('encryption: a census of a resource that no server has any more proves that nothing is stored', async () => {
  const { a } = await deleteDefinition('counted')
  const spec = { group: 'example.dev', resource: 'gadgets' }
  const counted = await a.ask('POST', censuses, {
    apiVersion: 'strata.dev/v1alpha1',
    kind: 'StorageCensus',
    spec,
  })
  const { total, proven } = counted.body.status
  assert.deepEqual([total, proven], [0, true])
  assert.deepEqual(persistedKeysOf(await statusOf(a)), [])
})

test('encryption: what is left of a deleted CRD keeps its key, and is named with the way out', async () => {
  const said: string[] = []
  const { fleet, a, b } = await deleteDefinition('left', (line) => said.push(line))
  leaveBehind(fleet)
  const { epoch } = await statusOf(a)
  assert.equal(await a.reload('aesgcm:two', 'aesgcm:one'), undefined)
  await fleet.sleep(5_000)
  const refusal = (await a.reload('aesgcm:two')) ?? 'taken'
  assert.match(refusal, /gadgets\.example\.dev may still have objects under aesgcm:one:[0-9a-f]{12}/)
  assert.match(refusal, /default\/left is stored/)
  assert.match(refusal, /create its CRD again/)
  assert.equal((await statusOf(a)).epoch, epoch, 'and nothing was changed')
  for (const each of [a, b]) await each.stop()
  const c = await fleet.start('a', ['aesgcm:two'], onlyGadgets)
  assert.equal((await c.ask('POST', definitions, definition)).status, 201)
  await fleet.sleep(5_000)
  const refused = await c.ask('POST', gadgets, gadget('y'))
  assert.equal(refused.status, 503)
  assert.match(refused.body.message, /default\/left/)
  assert.match(refused.body.message, /aesgcm:one:[0-9a-f]{12}, which this server does not have .*; add it to/)
  // The way out that it names.
  await c.stop()
  const d = await fleet.start('a', ['aesgcm:two', 'aesgcm:one'], onlyGadgets)
  await fleet.sleep(5_000)
  assert.equal((await d.ask('POST', gadgets, gadget('y'))).status, 201)
})
