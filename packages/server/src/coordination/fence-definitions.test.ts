import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import type { Codec } from '../codec/index.ts'
import { createMemoryStore, type Entry, MemoryData, type Store } from '../store/homes.ts'
import { DefinitionChanged } from './fence/definition-guard.ts'
import { definitionGuardOf, gadgetCodec, gadgets } from './fence/definition-guard-for-test.ts'
import { Fence } from './fence/fence.ts'
import { agreementKey, agreementKind, identityLeaseKey, leaseKind } from './frozen-kinds.ts'
import { nonceKey } from './record/record-nonce.ts'

const never = new AbortController().signal
const self = { serverID: 'a', process: 'a_1' }
const definitionKey = '/registry/apiextensions.k8s.io/customresourcedefinitions/gadgets.example.org'
const v1 = 'example.org/v1'
const v2 = 'example.org/v2'

interface Scene {
  readonly simulation: Simulation
  readonly fence: Fence
  readonly codec: Codec
}

/** Gadgets are stored in v1 by the definition at revision 5, under the record at revision 7. */
function setUp(store: Store = createMemoryStore(new MemoryData())): Scene {
  const simulation = new Simulation('fence of definitions')
  const fence = new Fence({ store, world: simulation.process('p'), self })
  const codec = gadgetCodec('v1')
  fence.add(gadgets, undefined, definitionGuardOf(codec, definitionKey, 5, 'one'))
  fence.open(gadgets, { encodingVersion: v1, writeKey: 'identity' }, 7)
  return { simulation, fence, codec }
}

const definition = (bytes: string, revision: number): Entry => ({
  ...{ key: definitionKey, value: Buffer.from(bytes), revision, createRevision: 1 },
})
const definitionMoved = (current: Entry | undefined) => [
  { guard: { key: definitionKey, revision: 5 }, current },
]
const recordMoved = [{ guard: { key: agreementKey(gadgets), revision: 7 }, current: undefined }]

test('fence: a write of a custom resource is guarded by the record and by its definition', () => {
  const { fence, codec } = setUp()
  assert.deepEqual(fence.enter(gadgets, codec).permit(), {
    writeKey: 'identity',
    encodingVersion: v1,
    guards: [
      { key: agreementKey(gadgets), revision: 7 },
      { key: nonceKey(gadgets), revision: 'absent' },
      { key: definitionKey, revision: 5 },
    ],
  })
})

const afterwards: readonly {
  readonly name: string
  readonly current: Entry | undefined
  readonly revision: number | 'changed'
}[] = [
  { name: 'says the same at another revision', current: definition('one', 9), revision: 9 },
  { name: 'says the same at a revision that is known already', current: definition('one', 5), revision: 5 },
  { name: 'says something else', current: definition('two', 9), revision: 'changed' },
  { name: 'is gone', current: undefined, revision: 'changed' },
]

for (const { name, current, revision } of afterwards) {
  test(`fence: a definition that ${name} ${revision === 'changed' ? 'has to be followed first' : 'is tried again'}`, async () => {
    const { fence, codec } = setUp()
    const ticket = fence.enter(gadgets, codec)
    ticket.permit()
    const looked = ticket.broken(definitionMoved(current), never)
    if (revision === 'changed') {
      await assert.rejects(looked, DefinitionChanged)
      return
    }
    await looked
    assert.deepEqual(ticket.permit().guards.at(-1), { key: definitionKey, revision })
  })
}

test('fence: what was begun by one definition is not written by the next', () => {
  const { fence, codec } = setUp()
  const ticket = fence.enter(gadgets, codec)
  fence.refreshDefinition(gadgets, definitionGuardOf(gadgetCodec('v1'), definitionKey, 9, 'two'))
  assert.throws(() => ticket.permit(), DefinitionChanged)
})

test('fence: what was begun by one definition is not written by another one of the same name', () => {
  const { fence, codec } = setUp()
  const ticket = fence.enter(gadgets, codec)
  fence.remove(gadgets)
  assert.throws(() => ticket.permit(), DefinitionChanged)
  assert.throws(() => fence.enter(gadgets, codec), DefinitionChanged)
  fence.add(gadgets, undefined, definitionGuardOf(gadgetCodec('v1'), definitionKey, 9, 'two'))
  fence.open(gadgets, { encodingVersion: v1, writeKey: 'identity' }, 10)
  assert.throws(() => ticket.permit(), DefinitionChanged)
  // It is over as any other: nobody waits for it.
  ticket.leave()
})

test('fence: who comes with a definition that was replaced is sent to the next, and not away', () => {
  const { fence, codec } = setUp()
  const next = gadgetCodec('v2')
  fence.refreshDefinition(gadgets, definitionGuardOf(next, definitionKey, 9, 'two'))
  fence.shut(gadgets)
  assert.throws(() => fence.enter(gadgets, codec), DefinitionChanged)
  // By the next one it is known that the entry is not stored yet.
  assert.throws(() => fence.enter(gadgets, next), { code: 503 })
})

test('fence: a look that began under one definition opens nothing under the next', async () => {
  const data = new MemoryData()
  const store = createMemoryStore(data)
  const reading = Promise.withResolvers<void>()
  const slow: Store['read'] = async (keys, signal) => {
    const found = await store.read(keys, signal)
    await reading.promise
    return found
  }
  // Its entry stands, in v1: for that definition the answer would be to try again.
  const entry = { ...self, encodingVersion: v1 } as never
  const record = { metadata: { name: 'x' }, spec: gadgets, status: { servers: [entry] } as never }
  const lease = { metadata: { name: 'a' }, spec: { holderIdentity: 'a_1' } }
  data.commit({
    writes: [
      { kind: 'put', key: agreementKey(gadgets), value: agreementKind.encode(record) },
      { kind: 'put', key: identityLeaseKey('a'), value: leaseKind.encode(lease) },
    ],
    guards: [],
  })
  const { fence, codec } = setUp({ ...store, read: slow })
  const ticket = fence.enter(gadgets, codec)
  ticket.permit()
  const looked = ticket.broken(recordMoved, never)
  const next = gadgetCodec('v2')
  fence.refreshDefinition(gadgets, definitionGuardOf(next, definitionKey, 9, 'two'))
  fence.shut(gadgets)
  reading.resolve()
  await assert.rejects(looked, DefinitionChanged)
  assert.equal(fence.stateOf(gadgets).kind, 'pending')
  fence.open(gadgets, { encodingVersion: v2, writeKey: 'identity' }, 12)
  assert.equal(fence.enter(gadgets, next).permit().encodingVersion, v2)
})

test('fence: writes of a custom resource wait until it is registered, or gone, or everything ends', async () => {
  const ends: readonly ((fence: Fence) => void)[] = [
    (fence) => fence.open(gadgets, { encodingVersion: v1, writeKey: 'identity' }, 9),
    (fence) => fence.remove(gadgets),
    (fence) => void fence.close('the server is shutting down'),
  ]
  for (const end of ends) {
    const { fence, simulation } = setUp()
    assert.equal(fence.opening(gadgets, never), undefined)
    fence.shut(gadgets)
    const opening = fence.opening(gadgets, never)
    assert.ok(opening)
    end(fence)
    await simulation.settle(opening)
    assert.ok(simulation.nowMs < 1)
  }
})

test('fence: nobody waits for a registration for ever, and whoever came late is told to come again', async () => {
  const { fence, simulation, codec } = setUp()
  fence.shut(gadgets, 'no luck')
  await simulation.settle(fence.opening(gadgets, never) ?? Promise.reject(new Error('it is open')))
  assert.equal(Math.round(simulation.nowMs), 10_000)
  assert.throws(() => fence.enter(gadgets, codec), {
    code: 503,
    message: /wait for storage version registration .* gadgets.example.org, last seen error: no luck/,
  })
})
