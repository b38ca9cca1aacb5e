import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ApiObject,
  type CustomResourceDefinition,
  customResourceDefinitions,
  type ResourceDefinition,
} from '@strata/api'
import { silentLog } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { beacons } from '../../../../examples/lighthouse/beacon.ts'
import { objectKey, resourcePrefix } from '../codec/index.ts'
import { createServedApi, type ServedApi } from '../registry/index.ts'
import { createMemoryStore, MemoryData } from '../store/homes.ts'
import { WatchCache } from '../watch-cache/index.ts'
import { createWebhookClient } from '../webhooks/index.ts'
import { CustomResources } from './custom-resources.ts'
import { decideStatus } from './decide-status.ts'
import { gadgetDefinition, gadgetNames } from './definition-for-test.ts'

const never = new AbortController().signal
const definitions = customResourceDefinitions as unknown as ResourceDefinition

interface Scene {
  readonly api: ServedApi
  readonly custom: CustomResources
  /** The calls of coordination: to define, to rest on another revision, to undefine. */
  readonly calls: string[]
  put(definition: CustomResourceDefinition): Promise<void>
  remove(definition: CustomResourceDefinition): Promise<void>
  /** The store is replaced (rule 19); the next put is the first change of the new timeline. */
  replaceStore(): void
}

async function setUp(): Promise<Scene> {
  const simulation = new Simulation('custom resources')
  const world = simulation.process('server')
  const data = new MemoryData()
  const api = createServedApi([definitions, beacons as unknown as ResourceDefinition], undefined)
  const cache = new WatchCache({
    ...{ store: createMemoryStore(data), world, root: '/registry/', tick: async () => {} },
    prefixes: api.codecs.map(({ definition }) => resourcePrefix(definition)),
  })
  const calls: string[] = []
  const custom = new CustomResources({
    cache,
    api,
    log: silentLog,
    converters: {
      webhooks: createWebhookClient({ clock: world.clock }),
      random: world.random,
      clock: world.clock,
      functions: {},
    },
    coordinator: {
      define: ({ codec, revision }) => void calls.push(`define ${codec.preferredVersion} at ${revision}`),
      refreshDefinition: ({ revision }) => void calls.push(`refresh at ${revision}`),
      undefine: ({ resource }) => void calls.push(`undefine ${resource}`),
    },
  })
  await simulation.settle(new Promise<void>((resolve) => void cache.run(never, resolve)))
  const codec = api.codecs.find(({ definition }) => definition.plural === definitions.plural)
  assert.ok(codec)
  const keyOf = ({ metadata }: CustomResourceDefinition): string =>
    objectKey(definitions, '', metadata.name ?? '')
  const commit = async (write: Parameters<typeof data.commit>[0]['writes'][number]): Promise<void> => {
    data.commit({ writes: [write], guards: [] })
    await simulation.settle(cache.barrier.pass(never))
  }
  return {
    api,
    custom,
    calls,
    put: (definition) =>
      commit({
        ...{ kind: 'put', key: keyOf(definition) },
        value: codec.encode(definition as unknown as ApiObject, codec.preferredVersion),
      }),
    remove: (definition) => commit({ kind: 'delete', key: keyOf(definition) }),
    replaceStore: () => cache.storeReplaced(new Error('replaced')),
  }
}

const key = '/registry/apiextensions.k8s.io/customresourcedefinitions/gadgets.example.org'
const served = ({ api }: Scene): string[] =>
  api.resources.filter(({ definition }) => definition.isCustom).map(({ apiVersion }) => apiVersion)

test('custom resources: an established CRD is served until it is gone', async () => {
  const scene = await setUp()
  await scene.put(gadgetDefinition({ status: { conditions: null } }))
  assert.deepEqual(served(scene), [])
  await scene.put(gadgetDefinition())
  assert.deepEqual(served(scene), ['example.org/v1', 'example.org/v2'])
  await scene.remove(gadgetDefinition())
  assert.deepEqual(served(scene), [])
  assert.deepEqual(scene.calls, ['define example.org/v1 at 3', 'undefine gadgets'])
})

test('custom resources: a definition that says the same is rested on, and ends no watch', async () => {
  const scene = await setUp()
  await scene.put(gadgetDefinition())
  const before = scene.api.find('example.org', 'v1', 'gadgets')
  await scene.put(gadgetDefinition({ metadata: { labels: { a: 'b' } } }))
  assert.equal(scene.api.find('example.org', 'v1', 'gadgets'), before)
  assert.ok(!before?.replaced?.aborted)
  await scene.put(gadgetDefinition({ metadata: { generation: 2 } }))
  assert.ok(before?.replaced?.aborted)
  assert.deepEqual(scene.calls, ['define example.org/v1 at 2', 'refresh at 3', 'define example.org/v1 at 4'])
})

test('custom resources: after the store was replaced, the same generation may say something else', async () => {
  const scene = await setUp()
  await scene.put(gadgetDefinition())
  scene.replaceStore()
  const { versions } = gadgetDefinition().spec
  await scene.put(
    gadgetDefinition({
      spec: { versions: (versions ?? []).map((each) => ({ ...each, storage: each.name === 'v2' })) },
    }),
  )
  assert.deepEqual(scene.calls, ['define example.org/v1 at 2', 'define example.org/v2 at 3'])
})

test('custom resources: another definition by the same name begins anew, and has none of the instances of the other', async () => {
  const scene = await setUp()
  await scene.put(gadgetDefinition())
  assert.equal(scene.custom.instancesOf(key, 'first')?.apiVersion, 'example.org/v1')
  await scene.put(gadgetDefinition({ metadata: { uid: 'second' } }))
  assert.deepEqual(scene.calls, [
    'define example.org/v1 at 2',
    'undefine gadgets',
    'define example.org/v1 at 3',
  ])
  assert.equal(scene.custom.instancesOf(key, 'first'), undefined)
  assert.equal(scene.custom.instancesOf(key, 'second')?.apiVersion, 'example.org/v1')
})

test('custom resources: instances are known also where no version is served', async () => {
  const scene = await setUp()
  const { versions = [] } = gadgetDefinition().spec
  const unserved = (versions ?? []).map((each) => ({ ...each, served: false }))
  await scene.put(gadgetDefinition({ spec: { versions: unserved } }))
  assert.deepEqual(served(scene), [])
  assert.equal(scene.custom.instancesOf(key, 'first')?.apiVersion, 'example.org/v1')
})

test('custom resources: a CRD never replaces built-in resources or our own keys', async () => {
  const scene = await setUp()
  const taken = [
    { group: 'lighthouse.example.dev', plural: 'beacons' },
    { group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' },
    { group: 'strata.dev', plural: 'names' },
  ]
  for (const { group, plural } of taken) {
    const names = { ...gadgetNames, plural }
    const definition = gadgetDefinition({
      metadata: { name: `${plural}.${group}` },
      spec: { group, names },
      status: { acceptedNames: names },
    })
    assert.ok(scene.custom.isTaken(definition) && scene.custom.isShadowing(definition))
    await scene.put(definition)
  }
  assert.ok(!scene.custom.isTaken(gadgetDefinition()))
  assert.deepEqual(scene.calls, [])
  assert.ok(!scene.api.find('lighthouse.example.dev', 'v2', 'beacons')?.definition.isCustom)
})

test('custom resources: the names of built-in resources of the group are taken', async () => {
  const { custom } = await setUp()
  const group = 'lighthouse.example.dev'
  const asked = { plural: 'beaconz', singular: 'beacon', kind: 'Beacon', listKind: 'BeaconList' }
  const reasonFor = (names: object): string | undefined => {
    const definition = gadgetDefinition({
      metadata: { name: `beaconz.${group}` },
      spec: { group, names: { ...gadgetNames, plural: 'beaconz', ...names } },
      status: { acceptedNames: { plural: '', kind: '' }, conditions: [] },
    })
    const status = decideStatus(definition, custom.builtInBeside(definition), '2026-01-01T00:00:00Z')
    return status?.conditions?.find(({ type }) => type === 'NamesAccepted')?.reason
  }
  assert.deepEqual(
    [
      ...[{}, { singular: asked.singular }, { shortNames: ['beacons'] }, { kind: asked.kind }],
      { listKind: asked.listKind },
    ].map(reasonFor),
    ['NoConflicts', 'SingularConflict', 'ShortNamesConflict', 'KindConflict', 'ListKindConflict'],
  )
})

test('custom resources: one that cannot be served stops no other', async () => {
  const scene = await setUp()
  const broken = gadgetDefinition({ metadata: { name: 'broken.example.org' }, spec: { versions: [] } })
  await scene.put(broken)
  await scene.put(gadgetDefinition())
  assert.deepEqual(served(scene), ['example.org/v1', 'example.org/v2'])
})
