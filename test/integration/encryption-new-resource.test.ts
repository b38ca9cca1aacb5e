import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideWriteKey, type ProtocolRules, protocolRules } from '@strata/server'
import { EncryptedFleet } from '../support/encrypted-fleet.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const gadgets = '/apis/example.dev/v1/namespaces/default/gadgets'
const record = '/apis/strata.dev/v1alpha1/storageagreements/example.dev.gadgets'
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

/** Rule 17 broken: if no key is in use, the live servers are not asked. */
const unasked: ProtocolRules = {
  ...protocolRules,
  decideWriteKey: (facts) => decideWriteKey({ ...facts, unregistered: [], elsewhere: undefined }),
}

/** A and B have `one`; A's file gets `two` in the first place; then a client creates a CRD through A. */
async function defineInTheMiddle(seed: string, rules?: ProtocolRules) {
  const fleet = new EncryptedFleet(seed)
  const more = rules ? { rules } : {}
  const a = await fleet.start('a', ['aesgcm:one', 'identity'], more)
  const b = await fleet.start('b', ['aesgcm:one', 'identity'], more)
  assert.equal(await a.reload('aesgcm:two', 'aesgcm:one', 'identity'), undefined)
  await fleet.sleep(5_000)
  assert.equal((await a.ask('POST', definitions, definition)).status, 201)
  await fleet.sleep(5_000)
  assert.equal((await a.ask('POST', gadgets, gadget('x'))).status, 201)
  return { fleet, a, b, seal: await fleet.sealOf('/registry/example.dev/gadgets/default/x') }
}

const seeds = ['s1', 's2', 's3', 's4', 's5', 's6']
for (const seed of seeds) {
  test(`encryption: a resource that is defined in the middle of a rotation can be read by all (${seed})`, async () => {
    const { fleet, a, b, seal } = await defineInTheMiddle(seed)
    assert.equal(seal, 'aesgcm:one')
    assert.equal((await b.ask('GET', `${gadgets}/x`)).status, 200)
    assert.equal((await b.ask('POST', gadgets, gadget('y'))).status, 201)
    // And goes on like any other.
    assert.equal(await b.reload('aesgcm:two', 'aesgcm:one', 'identity'), undefined)
    await fleet.sleep(5_000)
    assert.equal((await a.ask('POST', gadgets, gadget('z'))).status, 201)
    assert.equal(await fleet.sealOf('/registry/example.dev/gadgets/default/z'), 'aesgcm:two')
    assert.equal((await b.ask('GET', `${gadgets}/z`)).status, 200)
  })
}

test('encryption: … which the rule is what makes so', async () => {
  const reads: number[] = []
  for (const seed of seeds) {
    const { b } = await defineInTheMiddle(seed, unasked)
    reads.push((await b.ask('GET', `${gadgets}/x`)).status)
  }
  // Wherever A is the first to register.
  assert.ok(reads.includes(500), reads.join())
})

test('encryption: a server that was killed does not block writes of new resources', async () => {
  // Its Lease stands for an hour, and it will never have an entry for gadgets.
  const fleet = new EncryptedFleet('killed')
  const a = await fleet.start('a', ['aesgcm:one', 'identity'])
  const b = await fleet.start('b', ['aesgcm:one', 'identity'])
  await fleet.kill(b)
  assert.equal(await a.reload('aesgcm:two', 'aesgcm:one', 'identity'), undefined)
  assert.equal((await a.ask('POST', definitions, definition)).status, 201)
  await fleet.sleep(5_000)
  assert.equal((await a.ask('POST', gadgets, gadget('x'))).status, 201)
  assert.equal(await fleet.sealOf('/registry/example.dev/gadgets/default/x'), 'aesgcm:one')
  const { status } = (await a.ask('GET', record)).body
  assert.equal(status.servers.length, 1)
  assert.match(status.servers[0].wantedKey, /^aesgcm:two:/)
})

test('encryption: a lost record does not say that nothing is stored, nor that no server reads', async () => {
  const { fleet, a, b } = await defineInTheMiddle('lost')
  const key = '/registry/strata.dev/storageagreements/example.dev.gadgets'
  b.process.freeze()
  fleet.data.commit({ writes: [{ kind: 'delete', key }], guards: [] })
  await fleet.sleep(5_000)
  // B is alive by its Lease, and has no entry.
  const { status } = (await a.ask('GET', record)).body
  assert.equal(status.servers.length, 1)
  assert.equal((await a.ask('POST', gadgets, gadget('y'))).status, 201)
  assert.equal(await fleet.sealOf('/registry/example.dev/gadgets/default/y'), 'aesgcm:one')
  b.process.thaw()
  await fleet.sleep(5_000)
  assert.equal((await b.ask('GET', `${gadgets}/y`)).status, 200)
})
