import assert from 'node:assert/strict'
import { test } from 'node:test'
import { looseArrivalMs } from '@strata/api'
import { Simulation } from '@strata/world/sim'
import { createMemoryStore, MemoryData, type Store } from '../../store/homes.ts'
import { agreementKey, agreementKind, identityLeaseKey, leaseKind } from '../frozen-kinds.ts'
import { AgreementRecords } from '../record/agreement-records.ts'
import { decideAgreement } from '../record/decide-agreement.ts'
import { nonceKey } from '../record/record-nonce.ts'
import { decideBrokenGap } from './decide-broken-guard.ts'
import { Fence } from './fence.ts'
import type { LooseView } from './loose-view.ts'

const never = new AbortController().signal
const things = { group: 'example.dev', resource: 'things' }
const codec = leaseKind.codec
const self = { serverID: 'a', process: 'a_1' }
const inVersion = (encodingVersion: string) => ({ encodingVersion, writeKey: 'identity' })

function createFence(
  store: Store = createMemoryStore(new MemoryData()),
  more: { readonly looseView?: LooseView } = {},
): Fence {
  const fence = new Fence({ store, world: new Simulation('fence').process('p'), self, ...more })
  fence.add(things, undefined)
  return fence
}

test('fence: nothing is written before the entry is stored, and the last error is told', () => {
  const fence = createFence()
  fence.shut(things, 'no luck')
  assert.throws(() => fence.enter(things, codec), {
    message:
      'wait for storage version registration to complete for resource: things.example.dev, last seen error: no luck',
  })
})

test('fence: a permit carries the version and the guard', () => {
  const fence = createFence()
  fence.open(things, inVersion('example.dev/v1'), 7, 'some nonce')
  assert.deepEqual(fence.enter(things, codec).permit(), {
    encodingVersion: 'example.dev/v1',
    writeKey: 'identity',
    guards: [
      { key: agreementKey(things), revision: 7 },
      { key: nonceKey(things), value: Buffer.from('some nonce') },
    ],
  })
})

test('fence: old news does not replace newer ones', () => {
  const fence = createFence()
  fence.open(things, inVersion('example.dev/v2'), 9)
  fence.open(things, inVersion('example.dev/v1'), 8)
  assert.equal(fence.enter(things, codec).permit().encodingVersion, 'example.dev/v2')
})

test('fence: everyone who waits for the writes in flight is told when they are over', async () => {
  const fence = createFence()
  fence.open(things, inVersion('example.dev/v1'), 1)
  const ticket = fence.enter(things, codec)
  const waiting = [fence.close('first'), fence.close('second')]
  assert.throws(() => fence.enter(things, codec), { message: 'first' })
  ticket.leave()
  await Promise.all(waiting)
})

test('fence: one look at the store serves all writes that lost it together', async () => {
  const store = createMemoryStore(new MemoryData())
  let reads = 0
  const counting: Store['read'] = (keys, signal) => {
    reads++
    return store.read(keys, signal)
  }
  const fence = createFence({ ...store, read: counting })
  let expelled = 0
  fence.onExpelled = () => expelled++
  fence.open(things, inVersion('example.dev/v1'), 1)
  const broken = [{ guard: { key: agreementKey(things), revision: 1 }, current: undefined }]
  const tickets = Array.from({ length: 100 }, () => fence.enter(things, codec))
  const outcomes = await Promise.allSettled(tickets.map((ticket) => ticket.broken(broken, never)))
  assert.equal(reads, 1)
  // No Lease, no entry: all of them are told to wait until the server is registered again.
  assert.ok(outcomes.every(({ status }) => status === 'rejected'))
  assert.equal(expelled, 1)
})

test('fence: a record of the same revision with another nonce is looked at, and its nonce taken', async () => {
  const data = new MemoryData()
  const world = new Simulation('repeated revision').process('p')
  const records = new AgreementRecords({ store: createMemoryStore(data), world })
  const entry = {
    ...{ ...self, ...inVersion('example.dev/v1'), decodableVersions: [], servedVersions: [] },
    ...{ guarantee: 'strict' as const, readableKeys: ['identity'], encoderFingerprint: 'f' },
  }
  await records.change(things, () => ({ entries: [entry], guards: [] }), never)
  const lease = { metadata: { name: 'a' }, spec: { holderIdentity: self.process } }
  const write = { kind: 'put' as const, key: identityLeaseKey('a'), value: leaseKind.encode(lease) }
  data.commit({ writes: [write], guards: [] })
  const [record, beside] = data.read([agreementKey(things), nonceKey(things)]).entries
  assert.ok(record && beside)
  const fence = createFence(createMemoryStore(data))
  fence.open(things, inVersion('example.dev/v1'), record.revision, 'the nonce of another timeline')
  const ticket = fence.enter(things, codec)
  const outcome = data.commit({ writes: [], guards: ticket.permit().guards })
  assert.ok(outcome.outcome === 'refused')
  assert.deepEqual(
    outcome.broken.map(({ guard }) => guard.key),
    [nonceKey(things)],
  )
  await ticket.broken(outcome.broken, never)
  assert.equal(data.commit({ writes: [], guards: ticket.permit().guards }).outcome, 'committed')
})

test('fence: what cannot be written is refused, with what is selected, what can be written, and what to do', () => {
  const fence = createFence()
  fence.open(things, inVersion('example.dev/v1'), 3)
  fence.refuse(things, codec, { selectedVersion: 'example.dev/v2', revision: 5 })
  assert.throws(() => fence.enter(things, codec), {
    code: 503,
    message:
      'wait for storage version registration to complete for resource: things.example.dev, last seen error: example.dev/v2 is selected, and this release can write only coordination.k8s.io/v1: start a release here that can write example.dev/v2, or bring all other servers to one that prefers coordination.k8s.io/v1',
  })
  // Late news of a record in which it could be written.
  fence.open(things, inVersion('example.dev/v1'), 4)
  assert.equal(fence.stateOf(things).kind, 'pending')
  fence.open(things, inVersion('example.dev/v1'), 6)
  assert.equal(fence.enter(things, codec).permit().encodingVersion, 'example.dev/v1')
})

test('fence: the log says once why a resource is refused, and when it may be written again', () => {
  const world = new Simulation('fence').process('p')
  const said: string[] = []
  const log = {
    ...world.log,
    info: (message: string, fields?: object) => said.push(`INFO ${message} ${JSON.stringify(fields)}`),
    warn: (message: string, fields?: object) => said.push(`WARN ${message} ${JSON.stringify(fields)}`),
  }
  const fence = new Fence({ store: createMemoryStore(new MemoryData()), world: { ...world, log }, self })
  fence.add(things, undefined)
  fence.open(things, inVersion('example.dev/v1'), 1)
  fence.refuse(things, codec, { selectedVersion: 'example.dev/v2', revision: 2 })
  fence.refuse(things, codec, { selectedVersion: 'example.dev/v2', revision: 3 })
  fence.shut(things, 'expelled', 4)
  fence.refuse(things, codec, { selectedVersion: 'example.dev/v2', revision: 5 })
  fence.refuse(things, codec, { selectedVersion: 'example.dev/v3', revision: 6 })
  fence.open(things, inVersion('example.dev/v1'), 7)
  fence.open(things, inVersion('example.dev/v1'), 8)
  const why = (selected: string): string =>
    `${selected} is selected, and this release can write only coordination.k8s.io/v1: start a release here that can write ${selected}, or bring all other servers to one that prefers coordination.k8s.io/v1`
  assert.deepEqual(said, [
    `WARN refusing writes of a resource {"resource":"things.example.dev","why":"${why('example.dev/v2')}"}`,
    `WARN refusing writes of a resource {"resource":"things.example.dev","why":"${why('example.dev/v3')}"}`,
    'INFO accepting writes again {"resource":"things.example.dev","encodingVersion":"example.dev/v1"}',
  ])
})

/** A fence, and how the record comes to have that entry of this server. */
function withRecord() {
  const data = new MemoryData()
  const put = (entry: object): void => {
    const record = { metadata: { name: 'x' }, spec: things, status: { servers: [entry] } as never }
    const lease = { metadata: { name: 'a' }, spec: { holderIdentity: 'a_1' } }
    data.commit({
      writes: [
        { kind: 'put', key: agreementKey(things), value: agreementKind.encode(record) },
        { kind: 'put', key: identityLeaseKey('a'), value: leaseKind.encode(lease) },
      ],
      guards: [],
    })
  }
  return { fence: createFence(createMemoryStore(data)), put }
}

test('fence: a selection that moves under a write is followed, and one that cannot be is refused', async () => {
  const { fence, put } = withRecord()
  fence.open(things, inVersion('example.dev/v1'), 1)
  const ticket = fence.enter(things, codec)
  const broken = (revision: number) => [
    { guard: { key: agreementKey(things), revision }, current: undefined },
  ]
  put({ ...self, encodingVersion: 'example.dev/v2' })
  await ticket.broken(broken(1), never)
  const { encodingVersion, guards } = ticket.permit()
  assert.equal(encodingVersion, 'example.dev/v2')
  put({ ...self, encodingVersion: 'example.dev/v3', refusesWrites: true })
  const revision = guards[0]?.revision
  assert.ok(typeof revision === 'number')
  await assert.rejects(ticket.broken(broken(revision), never), /example.dev\/v3 is selected/)
  assert.equal(fence.encodingVersionOf(things), 'example.dev/v3', 'what it would have to write')
})

test('fence: who asks is told what is written, and when that changes', () => {
  const fence = createFence()
  const told: (string | undefined)[] = []
  const stop = fence.onEncodingVersion((resource) => told.push(fence.encodingVersionOf(resource)))
  assert.equal(fence.encodingVersionOf(things), undefined)
  fence.open(things, inVersion('example.dev/v1'), 1)
  fence.open(things, inVersion('example.dev/v1'), 2)
  fence.open(things, inVersion('example.dev/v2'), 3)
  fence.shut(things, 'expelled', 4)
  fence.refuse(things, codec, { selectedVersion: 'example.dev/v3', revision: 5 })
  stop()
  fence.open(things, inVersion('example.dev/v1'), 6)
  assert.deepEqual(told, ['example.dev/v1', 'example.dev/v2', 'example.dev/v3'])
  assert.equal(fence.encodingVersionOf({ group: '', resource: 'unknown' }), undefined)
})

test('fence: without the guard, a write is let through only by a view that is fresh, looked at twice', () => {
  const view = { problem: undefined as string | undefined }
  const fence = createFence(undefined, { looseView: view })
  fence.open(things, inVersion('example.dev/v1'), 1)
  const ticket = fence.enter(things, codec)
  assert.deepEqual(ticket.permit(), { ...inVersion('example.dev/v1'), guards: [], withinMs: looseArrivalMs })
  view.problem = 'too old'
  assert.throws(() => ticket.permit(), { code: 503, message: 'too old' })
  assert.throws(() => fence.enter(things, codec), { code: 503, message: 'too old' })
  view.problem = undefined
  assert.ok(ticket.permit())
})

// Two writes lose their guard. The first finds the Lease gone, and the gate closes. Before the second looks, the Lease is
// back, and another server's evaluation says again that somebody writes without recording it.
test('fence: of a server that does not record, a late look opens the gate for what it writes, and for nothing else', async () => {
  const store = createMemoryStore(new MemoryData())
  const fence = new Fence({
    ...{ store, world: new Simulation('fence').process('p'), self },
    rules: { decideBrokenGuard: decideBrokenGap },
  })
  fence.add(things, undefined)
  fence.open(things, inVersion('example.dev/v1'), 1)
  const [first, second] = [fence.enter(things, codec), fence.enter(things, codec)]
  const broken = [{ guard: { key: agreementKey(things), revision: 1 }, current: undefined }]
  await assert.rejects(first.broken(broken, never), { code: 503 })
  const status = decideAgreement({
    ...{ previous: undefined, entries: [], now: '2026-01-01T00:00:00Z' },
    ...{ liveServers: new Set(['a']), unrecorded: new Set(['a']) },
  })
  const record = { metadata: { name: 'example.dev.things' }, spec: things, status }
  const lease = { metadata: { name: 'a', namespace: 'kube-system' }, spec: { holderIdentity: self.process } }
  await store.commit(
    {
      writes: [
        { kind: 'put', key: agreementKey(things), value: agreementKind.encode(record) },
        { kind: 'put', key: identityLeaseKey('a'), value: leaseKind.encode(lease) },
      ],
      guards: [],
    },
    never,
  )
  await second.broken(broken, never)
  assert.equal(second.permit().encodingVersion, 'example.dev/v1')
})

test('fence: no gate is open for no version', () => {
  assert.throws(() => createFence().open(things, inVersion(''), 1), /a gate is open for a version/)
})

test('fence: a write that was refused is encrypted again under the key that the own entry names by now (rule 17)', async () => {
  const { fence, put } = withRecord()
  fence.open(things, { encodingVersion: 'example.dev/v1', writeKey: 'aesgcm:one:1' }, 1)
  const ticket = fence.enter(things, codec)
  assert.equal(ticket.permit().writeKey, 'aesgcm:one:1')
  put({ ...self, encodingVersion: 'example.dev/v1', writeKey: 'aesgcm:two:2' })
  await ticket.broken([{ guard: { key: agreementKey(things), revision: 1 }, current: undefined }], never)
  assert.equal(ticket.permit().writeKey, 'aesgcm:two:2')
})
