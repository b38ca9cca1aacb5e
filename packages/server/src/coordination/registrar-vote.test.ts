import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AgreementEntry,
  type AgreementStatus,
  type ApiObject,
  defineResource,
  processAnnotation,
  type ResourceDefinition,
  resourceAtRelease,
} from '@strata/api'
import { Simulation } from '@strata/world/sim'
import { type Codec, createCodec } from '../codec/index.ts'
import { createMemoryStore, MemoryData, type Store } from '../store/homes.ts'
import { Fence } from './fence/fence.ts'
import { agreementKey, agreementKind, identityLeaseKey, leaseKind } from './frozen-kinds.ts'
import { noKeys } from './keys/server-keys.ts'
import { protocolRules } from './protocol-rules.ts'
import { AgreementRecords } from './record/agreement-records.ts'
import { Registrar } from './registration/registrar.ts'

const never = new AbortController().signal
const self = { serverID: 'apiserver-a', process: 'a_1' }
const other = { serverID: 'apiserver-b', process: 'b_1' }
const v1 = 'example.dev/v1'
const v2 = 'example.dev/v2'

function widgetCodec(release: 'both' | 'v2 only'): Codec {
  const version = {
    schema: { type: 'object' } as const,
    toHub: (object: ApiObject) => object,
    fromHub: (object: ApiObject) => object,
  }
  const definition: ResourceDefinition = defineResource<ApiObject>({
    group: 'example.dev',
    kind: 'Widget',
    plural: 'widgets',
    scope: 'Namespaced',
    versions: { v1: version, v2: version },
    preferredStorageVersion: 'v2',
    releases: {
      both: { decodable: ['v1', 'v2'], served: ['v1', 'v2'], preferredStorage: 'v2' },
      'v2 only': { decodable: ['v2'], served: ['v2'], preferredStorage: 'v2' },
    },
    storagePrefix: 'example.dev/widgets',
    strategy: {},
  })
  const at = resourceAtRelease(definition, release)
  assert.ok(at)
  return createCodec(definition, at)
}

const voterFor = (preferredVersion: string): AgreementEntry => ({
  ...other,
  encodingVersion: preferredVersion,
  decodableVersions: [v1, v2],
  servedVersions: [],
  guarantee: 'strict',
  writeKey: 'identity',
  readableKeys: ['identity'],
  encoderFingerprint: 'f',
  preferredVersion,
  encoders: [v1, v2].map((encodingVersion) => ({ encodingVersion, fingerprint: 'f' })),
})

/** A server that votes for v2, beside one whose entry the test writes. */
function setUp(
  release: 'both' | 'v2 only',
  { wrap = (store: Store): Store => store, guarantee = 'strict' as 'strict' | 'loose' } = {},
) {
  const simulation = new Simulation('voting registrar')
  const world = simulation.process('p')
  const data = new MemoryData()
  const store = wrap(createMemoryStore(data))
  for (const { serverID, process } of [self, other]) {
    const lease = {
      metadata: {
        ...{ name: serverID, namespace: 'kube-system' },
        labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' },
        annotations: { [processAnnotation]: process },
      },
      spec: { holderIdentity: process },
    }
    const value = leaseKind.encode(lease)
    data.commit({ writes: [{ kind: 'put', key: identityLeaseKey(serverID), value }], guards: [] })
  }
  const codec = widgetCodec(release)
  const widgets = codec.definition
  const records = new AgreementRecords({ store: createMemoryStore(data), world })
  const fence = new Fence({
    ...{ store, world, self },
    ...(guarantee === 'loose' ? { looseView: { problem: undefined } } : {}),
  })
  fence.add(widgets, undefined)
  const registrar = new Registrar({
    ...{ world, records: new AgreementRecords({ store, world }), fence, self, codecs: [codec] },
    ...{ expectedServers: 0, form: 'vote', guarantee, rules: protocolRules },
    ...{
      onIdentityNotHeld: async () => {},
      isSettled: () => false,
      forgetEmpty: async () => ({ outcome: 'refused', why: 'nobody looks here' }),
      keys: noKeys,
    },
  })
  void registrar.run(never)
  const status = (): { status: AgreementStatus; revision: number } => {
    const [entry] = data.read([agreementKey(widgets)]).entries
    assert.ok(entry)
    return { status: agreementKind.decode(entry).status, revision: entry.revision }
  }
  return {
    ...{ simulation, fence, registrar, widgets, codec, status },
    /** What the other server says; none takes its entry back. */
    say: (entry: AgreementEntry | undefined) =>
      simulation.settle(
        records.change(
          widgets,
          ({ entries }) => ({
            entries: [
              ...entries.filter(({ process }) => process === self.process),
              ...(entry ? [entry] : []),
            ].sort((a, b) => (a.serverID < b.serverID ? -1 : 1)),
            guards: [],
          }),
          never,
        ),
      ),
    /** As the watch tells. */
    tell: () => {
      const { status: told, revision } = status()
      registrar.observeRecord('widgets.example.dev', told, revision, undefined)
    },
    pass: (ms = 2_000) => simulation.run({ untilMs: simulation.nowMs + ms }),
  }
}

const written = ({ fence, widgets }: ReturnType<typeof setUp>): string => {
  const state = fence.stateOf(widgets)
  return state.kind === 'open' ? state.encodingVersion : state.refuses ? 'refused' : 'pending'
}

test('voting registrar: the gate opens with what the stored entry says, not with what is preferred', async () => {
  const scene = setUp('both')
  await scene.say(voterFor(v1))
  scene.registrar.mark(scene.widgets)
  await scene.pass()
  assert.equal(written(scene), v1)
  const own = scene.status().status.servers.find(({ process }) => process === self.process)
  assert.deepEqual(
    [own?.encodingVersion, own?.preferredVersion, own?.encoders?.map((each) => each.encodingVersion)],
    [v1, v2, [v1, v2]],
  )
})

test('voting registrar: what the watch tells of a selection that moved is written from then on', async () => {
  const scene = setUp('both')
  await scene.say(voterFor(v1))
  scene.registrar.mark(scene.widgets)
  await scene.pass()
  await scene.say(voterFor(v2))
  assert.equal(written(scene), v1)
  scene.tell()
  assert.equal(written(scene), v2)
})

test('voting registrar: bytes of the version before the move are not served as they are', async () => {
  const scene = setUp('both')
  // Alone it is the only one to encode; with another encoder of the same version it is not.
  const { encoders = [], ...voter } = voterFor(v1)
  scene.registrar.mark(scene.widgets)
  await scene.pass()
  const before = scene.status().revision
  assert.ok(scene.codec.trust.covers(before + 1))
  await scene.say({ ...voter, encoders: encoders.map((each) => ({ ...each, fingerprint: 'g' })) })
  await scene.say(undefined)
  // The watch has been interrupted, and tells only of the end: the same encoding, in a later epoch.
  scene.tell()
  assert.ok(!scene.codec.trust.covers(before + 1))
  assert.ok(scene.codec.trust.covers(scene.status().revision + 1))
})

test('voting registrar: it is not complete while it refuses, and is when the others have followed', async () => {
  const scene = setUp('v2 only')
  let isComplete = false
  void scene.registrar.completion.complete.then(() => {
    isComplete = true
  })
  await scene.say(voterFor(v1))
  scene.registrar.mark(scene.widgets)
  await scene.pass()
  assert.equal(written(scene), 'refused')
  assert.deepEqual(scene.registrar.pending, [])
  assert.match(scene.registrar.refusing.join(), /^widgets.example.dev: example.dev\/v1 is selected/)
  assert.equal(isComplete, false)
  await scene.say(voterFor(v2))
  scene.tell()
  await scene.pass()
  assert.equal(written(scene), v2)
  assert.deepEqual(scene.registrar.refusing, [])
  assert.equal(isComplete, true)
})

// Without it, of a server that does not guard its writes: it reads a record in which v1 is selected; the selection moves,
// and the watch tells, but the registration is not over and nobody listens; the gate opens for v1, and stays so.
test('voting registrar: what the watch tells while a registration is under way is not lost', async () => {
  let hold: Promise<void> | undefined
  const held = Promise.withResolvers<void>()
  const scene = setUp('both', {
    guarantee: 'loose',
    wrap: (store) => ({
      ...store,
      commit: async (commit, signal) => {
        const outcome = await store.commit(commit, signal)
        await hold
        return outcome
      },
    }),
  })
  await scene.say(voterFor(v1))
  hold = held.promise
  scene.registrar.mark(scene.widgets)
  await scene.pass()
  assert.equal(written(scene), 'pending')
  await scene.say(voterFor(v2))
  scene.tell()
  held.resolve()
  hold = undefined
  await scene.pass()
  assert.equal(written(scene), v2)
})

test('voting registrar: all is registered though it refuses, and a failure afterwards takes neither that nor the reason', async () => {
  let isBroken = false
  const scene = setUp('v2 only', {
    wrap: (store) => ({
      ...store,
      list: (range, signal) =>
        isBroken ? Promise.reject(new Error('no answer')) : store.list(range, signal),
    }),
  })
  await scene.say(voterFor(v1))
  scene.registrar.mark(scene.widgets)
  await scene.simulation.settle(scene.registrar.completion.allRegistered)
  isBroken = true
  scene.registrar.mark(scene.widgets)
  await scene.pass()
  assert.equal(written(scene), 'refused')
  assert.deepEqual(scene.registrar.pending, [])
  assert.match(scene.registrar.refusing.join(), /^widgets.example.dev: example.dev\/v1 is selected/)
})
