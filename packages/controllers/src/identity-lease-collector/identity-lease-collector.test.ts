import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type Lease, leases, notFound, objectModified } from '@strata/api'
import { addressOf, type Preconditions, type ResourceClient } from '@strata/client'
import { silentLog } from '@strata/world'
import { createIdentityLeaseCollector } from './identity-lease-collector.ts'

const lease = (resourceVersion: string, metadata: Partial<Lease['metadata']> = {}): Lease => ({
  metadata: {
    namespace: 'kube-system',
    name: 's',
    uid: 'u',
    resourceVersion,
    labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' },
    ...metadata,
  },
  spec: { leaseDurationSeconds: 40, renewTime: '2026-01-01T00:00:00.000000Z' },
})

/** The collector beside a server that says what the test wants, and a clock that the test moves. */
function create() {
  const { signal } = new AbortController()
  const known = new Map<string, Lease>()
  const deleted: Preconditions[] = []
  const world = {
    nowMs: 0,
    live: lease('7') as Lease | Error,
    deletion: undefined as Error | undefined,
    reads: 0,
  }
  const client = {
    address: addressOf(leases, 'v1'),
    get: async () => {
      world.reads++
      if (world.live instanceof Error) throw world.live
      return world.live
    },
    delete: async (_: unknown, { preconditions = {} }: { preconditions?: Preconditions }) => {
      deleted.push(preconditions)
      if (world.deletion) throw world.deletion
    },
  } as unknown as ResourceClient<Lease>
  const clock = { monotonicMs: () => world.nowMs, wallMs: () => 0, after: () => () => {}, soon: () => {} }
  const collector = createIdentityLeaseCollector({
    leases: client,
    known,
    clock,
    log: silentLog,
    defaultDurationMs: 100_000,
  })
  const at = (nowMs: number, key = 'kube-system/s') => {
    world.nowMs = nowMs
    return collector.reconcile(key, signal)
  }
  return { world, known, deleted, at }
}

test('identity leases: the deletion has the observed state as precondition', async () => {
  const { at, deleted } = create()
  for (const nowMs of [0, 10_000, 20_000, 30_000]) assert.deepEqual(await at(nowMs), { lookAgainMs: 10_000 })
  assert.equal(await at(40_000), undefined)
  assert.deepEqual(deleted, [{ uid: 'u', resourceVersion: '7' }])
})

test('identity leases: that of an aggregated server expires by the same rule', async () => {
  const { at, deleted, world } = create()
  world.live = lease('7', { labels: { 'apiserver.kubernetes.io/identity': 'aggregated-apiserver' } })
  for (const nowMs of [0, 10_000, 20_000, 30_000]) assert.deepEqual(await at(nowMs), { lookAgainMs: 10_000 })
  assert.equal(await at(40_000), undefined)
  assert.deepEqual(deleted, [{ uid: 'u', resourceVersion: '7' }])
})

test('identity leases: a failed read is thrown, and neither extends nor resets the observation', async () => {
  const { at, deleted, world } = create()
  for (const nowMs of [0, 10_000, 20_000, 30_000]) await at(nowMs)
  for (const failure of [new ApiError(500, 'InternalError', 'x'), new ApiError(404, '', 'no backend')]) {
    world.live = failure
    await assert.rejects(at(40_000), failure)
  }
  world.live = lease('7')
  await at(41_000)
  assert.equal(deleted.length, 1)
})

for (const error of [objectModified(leases, 's'), notFound(leases, 's')]) {
  test(`identity leases: ${error.code} from the deletion leads to a retry`, async () => {
    const { at, world } = create()
    world.deletion = error
    for (const nowMs of [0, 10_000, 20_000, 30_000]) await at(nowMs)
    assert.deepEqual(await at(40_000), { lookAgainMs: 0 })
  })
}

test('identity leases: any other failure of the deletion is retried after another read', async () => {
  const { at, world, deleted } = create()
  world.deletion = new ApiError(500, 'InternalError', 'x')
  for (const nowMs of [0, 10_000, 20_000, 30_000]) await at(nowMs)
  await assert.rejects(at(40_000), /InternalError|x/)
  world.deletion = undefined
  await at(40_100)
  assert.equal(deleted.length, 2, 'what was watched is not forgotten over a failure')
})

test('identity leases: a renewal that the watch brings costs no request', async () => {
  const { at, world, known } = create()
  for (let renewal = 1; renewal <= 20; renewal++) {
    known.set('kube-system/s', lease(String(renewal)))
    await at(renewal * 3_000)
  }
  assert.equal(world.reads, 0)
})

test('identity leases: a watch that has stalled does not keep a dead Lease alive', async () => {
  const { at, known, deleted } = create()
  known.set('kube-system/s', lease('5'))
  for (let nowMs = 0; nowMs <= 60_000; nowMs += 10_000) await at(nowMs)
  assert.ok(deleted.length > 0)
  assert.deepEqual(deleted[0], { uid: 'u', resourceVersion: '7' })
})

for (const metadata of [{ namespace: 'default' }, { labels: {} }]) {
  test(`identity leases: ${JSON.stringify(metadata)} is not an identity Lease`, async () => {
    const { at, world, deleted } = create()
    world.live = lease('7', metadata)
    for (let nowMs = 0; nowMs <= 200_000; nowMs += 10_000) assert.equal(await at(nowMs), undefined)
    assert.deepEqual(deleted, [])
  })
}
