import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { createMemoryStore, MemoryData, type Store } from '../store/homes.ts'
import { Fence } from './fence.ts'
import { agreementKey, leaseKind } from './frozen-kinds.ts'

const never = new AbortController().signal
const things = { group: 'example.dev', resource: 'things' }
const codec = leaseKind.codec
const self = { serverID: 'a', process: 'a_1' }

function createFence(store: Store = createMemoryStore(new MemoryData())): Fence {
  const fence = new Fence({ store, world: new Simulation('fence').process('p'), self })
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
  fence.open(things, 'example.dev/v1', 7)
  assert.deepEqual(fence.enter(things, codec).permit(), {
    encodingVersion: 'example.dev/v1',
    guards: [{ key: agreementKey(things), revision: 7 }],
  })
})

test('fence: old news does not replace newer ones', () => {
  const fence = createFence()
  fence.open(things, 'example.dev/v2', 9)
  fence.open(things, 'example.dev/v1', 8)
  assert.equal(fence.enter(things, codec).permit().encodingVersion, 'example.dev/v2')
})

test('fence: everyone who waits for the writes in flight is told when they are over', async () => {
  const fence = createFence()
  fence.open(things, 'example.dev/v1', 1)
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
  fence.open(things, 'example.dev/v1', 1)
  const broken = [{ guard: { key: agreementKey(things), revision: 1 }, current: undefined }]
  const tickets = Array.from({ length: 100 }, () => fence.enter(things, codec))
  const outcomes = await Promise.allSettled(tickets.map((ticket) => ticket.broken(broken, never)))
  assert.equal(reads, 1)
  // No Lease, no entry: all of them are told to wait until the server is registered again.
  assert.ok(outcomes.every(({ status }) => status === 'rejected'))
  assert.equal(expelled, 100)
})
