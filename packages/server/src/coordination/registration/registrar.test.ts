import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementStatus } from '@strata/api'
import { Simulation } from '@strata/world/sim'
import { createMemoryStore, MemoryData, type Store } from '../../store/homes.ts'
import type { DefinitionGuard } from '../fence/definition-guard.ts'
import { definitionGuardOf, gadgetCodec, gadgets } from '../fence/definition-guard-for-test.ts'
import { Fence } from '../fence/fence.ts'
import { agreementKey, agreementKind, identityLeaseKey, leaseKind } from '../frozen-kinds.ts'
import { noKeys } from '../keys/server-keys.ts'
import { protocolRules } from '../protocol-rules.ts'
import { AgreementRecords } from '../record/agreement-records.ts'
import { Registrar } from './registrar.ts'

const never = new AbortController().signal
const self = { serverID: 'apiserver-a', process: 'a_1' }
const definitionKey = '/registry/apiextensions.k8s.io/customresourcedefinitions/gadgets.example.org'

interface Scene {
  readonly simulation: Simulation
  readonly data: MemoryData
  readonly fence: Fence
  readonly registrar: Registrar
  /** Writes the definition, and says what it is to those who work by it. */
  define(stored: 'v1' | 'v2', bytes?: string): DefinitionGuard
  undefine(): void
  entries(resource?: typeof gadgets): AgreementStatus['servers']
  until(what: string, condition: () => boolean): Promise<void>
}

/** A server that holds its identity and runs. */
function setUp(wrap: (store: Store, simulation: Simulation) => Store = (store) => store): Scene {
  const simulation = new Simulation('registrar')
  const world = simulation.process('p')
  const data = new MemoryData()
  const store = wrap(createMemoryStore(data), simulation)
  const lease = {
    metadata: { name: self.serverID, labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' } },
    spec: { holderIdentity: self.process },
  }
  const put = (key: string, value: Uint8Array): number =>
    data.commit({ writes: [{ kind: 'put', key, value }], guards: [] }).revision
  put(identityLeaseKey(self.serverID), leaseKind.encode(lease))
  const records = new AgreementRecords({ store, world })
  const fence = new Fence({ store, world, self })
  const registrar = new Registrar({
    ...{ world, records, fence, self, codecs: [], expectedServers: 0 },
    ...{ form: 'report', guarantee: 'strict', rules: protocolRules },
    isSettled: () => false,
    forgetEmpty: async () => ({ outcome: 'refused', why: 'nobody looks here' }),
    keys: noKeys,
    onIdentityNotHeld: async () => {},
  })
  void registrar.run(never)
  return {
    simulation,
    data,
    fence,
    registrar,
    define: (stored, bytes = stored) => {
      const revision = put(definitionKey, Buffer.from(bytes))
      const definitionGuard = definitionGuardOf(gadgetCodec(stored), definitionKey, revision, bytes)
      registrar.define(definitionGuard)
      return definitionGuard
    },
    undefine: () => {
      data.commit({ writes: [{ kind: 'delete', key: definitionKey }], guards: [] })
      registrar.undefine(gadgets)
    },
    entries: (resource = gadgets) => {
      const [entry] = data.read([agreementKey(resource)]).entries
      return entry ? agreementKind.decode(entry).status.servers : []
    },
    until: async (what, condition) => {
      await simulation.run({ until: condition, untilMs: simulation.nowMs + 60_000 })
      assert.ok(condition(), `gave up waiting until ${what}`)
    },
  }
}

const isOpen = ({ fence }: Scene): boolean => fence.stateOf(gadgets).kind === 'open'
const versions = (scene: Scene): string[] => scene.entries().map(({ encodingVersion }) => encodingVersion)

test('registrar: what is defined is registered, and its gate opens with the entry', async () => {
  const scene = setUp()
  scene.define('v1')
  assert.ok(!isOpen(scene))
  await scene.until('it is registered', () => isOpen(scene))
  assert.deepEqual(versions(scene), ['example.org/v1'])
})

test('registrar: nothing is registered while the store is being joined again, also not what was begun before', async () => {
  for (const begun of [false, true]) {
    let scene: Scene | undefined
    const slowStore = (store: Store): Store => ({
      ...store,
      read: async (keys, signal) => {
        const answer = await store.read(keys, signal)
        if (begun) scene?.fence.suspend('the store was restored')
        return answer
      },
    })
    scene = setUp(slowStore)
    const { fence, registrar, simulation } = scene
    if (!begun) fence.suspend('the store was restored')
    scene.define('v1')
    await simulation.run({ untilMs: simulation.nowMs + 30_000 })
    assert.deepEqual(versions(scene), [], `begun before: ${begun}`)

    scene = undefined
    fence.resume()
    registrar.markAll()
    await simulation.run({
      until: () => fence.stateOf(gadgets).kind === 'open',
      untilMs: simulation.nowMs + 60_000,
    })
    assert.equal(fence.stateOf(gadgets).kind, 'open', `begun before: ${begun}`)
  }
})

test('registrar: another storage version closes the gate at once, and opens it with the new entry', async () => {
  const scene = setUp()
  scene.define('v1')
  await scene.until('it is registered', () => isOpen(scene))
  scene.define('v2')
  assert.ok(!isOpen(scene))
  assert.deepEqual(versions(scene), ['example.org/v1'])
  await scene.until('it is registered again', () => isOpen(scene))
  assert.deepEqual(versions(scene), ['example.org/v2'])
})

test('registrar: a change that encodes as before closes nothing, and trusts what was trusted', async () => {
  const scene = setUp()
  const { codec } = scene.define('v1', 'one')
  await scene.until('it is registered', () => isOpen(scene))
  const next = scene.define('v1', 'two')
  assert.ok(isOpen(scene))
  assert.equal(next.codec.trust.covers(1_000), codec.trust.covers(1_000))
  assert.ok(next.codec.trust.covers(1_000))
})

test('registrar: what is defined no more has no entry, also if it was just being registered', async () => {
  const scene = setUp()
  scene.define('v1')
  await scene.until('it is registered', () => isOpen(scene))
  scene.undefine()
  await scene.until('the entry is gone', () => scene.entries().length === 0)
  scene.define('v1')
  scene.undefine()
  await scene.simulation.run({ untilMs: scene.simulation.nowMs + 5_000 })
  assert.deepEqual(scene.entries(), [])
})

test('registrar: one definition in place of another has one entry, its own', async () => {
  const scene = setUp()
  scene.define('v1')
  await scene.until('it is registered', () => isOpen(scene))
  scene.undefine()
  scene.define('v2', 'other')
  assert.ok(!isOpen(scene))
  await scene.until('it is registered', () => isOpen(scene))
  assert.deepEqual(versions(scene), ['example.org/v2'])
})

test('registrar: a registration that a definition overtakes neither stores its entry nor opens the gate', async () => {
  let hold: Promise<void> | undefined
  const scene = setUp((store) => ({
    ...store,
    commit: async (commit, signal) => {
      await hold
      return store.commit(commit, signal)
    },
  }))
  const waiting = Promise.withResolvers<void>()
  hold = waiting.promise
  scene.define('v1')
  await scene.simulation.run({ untilMs: scene.simulation.nowMs + 1_000 })
  scene.define('v2')
  hold = undefined
  waiting.resolve()
  await scene.until('it is registered', () => isOpen(scene))
  assert.deepEqual(versions(scene), ['example.org/v2'])
  const state = scene.fence.stateOf(gadgets)
  assert.equal(state.kind === 'open' && state.encodingVersion, 'example.org/v2')
})

test('registrar: what is tried again after a lost race is not published by the definition that has come meanwhile', async () => {
  const stored: string[] = []
  let isFirst = true
  const scene = setUp((store, simulation) => ({
    ...store,
    commit: async (commit, signal) => {
      if (isFirst) {
        isFirst = false
        // The Lease is renewed in between, so that the guard breaks; and while that waits, the definition changes.
        await store.commit({ writes: [{ kind: 'put', key: leaseKey, value: lease() }], guards: [] }, signal)
        simulation.schedule(0.5, 'definer', () => scene.define('v2'))
      }
      const outcome = await store.commit(commit, signal)
      if (outcome.outcome === 'committed') stored.push(...versions(scene))
      return outcome
    },
  }))
  const leaseKey = identityLeaseKey(self.serverID)
  const lease = (): Uint8Array => scene.data.read([leaseKey]).entries[0]?.value ?? new Uint8Array()
  scene.define('v1')
  await scene.until('it is registered', () => isOpen(scene))
  assert.deepEqual(stored, ['example.org/v2'])
})

test('registrar: by a definition that stands no more nothing is published, until it is known what stands', async () => {
  const scene = setUp()
  const definitionGuard = scene.define('v1')
  // The status of the definition has changed before the registration began, and the watch has not told.
  const { revision } = scene.data.commit({
    writes: [{ kind: 'put', key: definitionKey, value: Buffer.from('v1') }],
    guards: [],
  })
  await scene.simulation.run({ untilMs: scene.simulation.nowMs + 5_000 })
  assert.deepEqual(scene.entries(), [])
  assert.ok(!isOpen(scene))
  scene.registrar.refreshDefinition({ ...definitionGuard, revision })
  await scene.until('it is registered', () => isOpen(scene))
  assert.deepEqual(versions(scene), ['example.org/v1'])
})

test('registrar: five hundred definitions are registered, and are all left, also those that go as we leave', async () => {
  const scene = setUp()
  const resources = Array.from({ length: 500 }, (_, index) => `gadgets${index}`)
  for (const plural of resources) {
    const key = `${definitionKey}.${plural}`
    const { revision } = scene.data.commit({
      writes: [{ kind: 'put', key, value: Buffer.from('x') }],
      guards: [],
    })
    scene.registrar.define(definitionGuardOf(gadgetCodec('v1', { plural }), key, revision, 'x'))
  }
  const of = (resource: string) => ({ ...gadgets, resource })
  const registered = (): number =>
    resources.filter((resource) => scene.fence.stateOf(of(resource)).kind === 'open').length
  await scene.until('all are registered', () => registered() === resources.length)
  scene.registrar.undefine(of('gadgets7'))
  await scene.simulation.settle(scene.registrar.removeAll(never))
  const left = resources.filter((resource) => scene.entries(of(resource)).length > 0)
  assert.deepEqual(left, [])
})
