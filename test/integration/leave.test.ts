import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Commit, createMemoryStore, MemoryData, OutcomeUnknown, type Store } from '@strata/server/store'
import { Simulation } from '@strata/world/sim'
import { call, createFleetServer } from '../support/fleet.ts'

const never = new AbortController().signal
const leasePrefix = '/registry/leases/kube-system/'
const recordKey = '/registry/strata.dev/storageagreements/core.configmaps'
const recordPath = '/apis/strata.dev/v1alpha1/storageagreements/core.configmaps'

/** Server a, and b, whose commits go by way of `commit`. */
async function setUp(seed: string, commit: (memory: Store, data: MemoryData) => Store['commit']) {
  const simulation = new Simulation(seed)
  const data = new MemoryData()
  const memory = createMemoryStore(data)
  const a = createFleetServer({ world: simulation.process('a'), store: memory, instance: 'a' })
  await simulation.settle(a.start(never))
  const store: Store = {
    ...memory,
    read: (...asked) => memory.read(...asked),
    list: (...asked) => memory.list(...asked),
    watch: (...asked) => memory.watch(...asked),
    commit: commit(memory, data),
  }
  const b = createFleetServer({ world: simulation.process('b'), store, instance: 'b' })
  return {
    ...{ simulation, a, b },
    leases: async (): Promise<number> => {
      const { entries } = await memory.list({ prefix: leasePrefix }, never)
      return entries.filter(({ key }) => key.includes('/apiserver-')).length
    },
    agreed: async (): Promise<string | undefined> => {
      await simulation.run({ untilMs: simulation.nowMs + 2_000 })
      const { body } = await simulation.settle(call(a.handle, 'GET', recordPath))
      return body.status.agreedVersion
    },
  }
}

const touches = ({ writes }: Commit, key: string): boolean => writes.some((each) => each.key === key)

// Rule 7. Leases last for an hour: one that is left behind without entries keeps everybody from agreeing for as long.
for (const took of [true, false]) {
  test(`leave: the outcome of removing an entry is unknown (it ${took ? 'took' : 'did not take'} place): it is read again, and the Lease goes`, async () => {
    let unknown = 0
    const fleet = await setUp(`farewell ${took}`, (memory) => async (commit, signal) => {
      if (unknown === 0 || !touches(commit, recordKey)) return memory.commit(commit, signal)
      unknown--
      if (took) await memory.commit(commit, signal)
      throw new OutcomeUnknown('the leader has changed')
    })
    await fleet.simulation.settle(fleet.b.start(never))
    assert.equal(await fleet.leases(), 2)
    unknown = 3
    assert.equal(await fleet.simulation.settle(fleet.b.stop(60_000)), true)
    assert.equal(unknown, took ? 2 : 0)
    assert.equal(await fleet.leases(), 1)
    assert.equal(await fleet.agreed(), 'v1')
  })
}

test('leave: a server waits for an absent store only for a while, and reports that the Lease is left', async () => {
  let isAway = false
  const fleet = await setUp('farewell away', (memory) => async (commit, signal) => {
    if (isAway) throw new OutcomeUnknown('no answer')
    return memory.commit(commit, signal)
  })
  await fleet.simulation.settle(fleet.b.start(never))
  isAway = true
  const beganMs = fleet.simulation.nowMs
  assert.equal(await fleet.simulation.settle(fleet.b.stop(60_000)), false)
  assert.ok(fleet.simulation.nowMs - beganMs < 30_000)
  assert.equal(await fleet.leases(), 2)
})

// An unknown outcome is no absence: the Lease is not there when it is looked for, and comes a moment later.
test('leave: a server that is stopped while it takes its Lease does not say that nothing of it is left', async () => {
  const arrives = Promise.withResolvers<void>()
  let isCaught = false
  const fleet = await setUp('farewell early', (memory, data) => (commit, signal) => {
    if (isCaught || !commit.writes.some(({ key }) => key.startsWith(leasePrefix))) {
      return memory.commit(commit, signal)
    }
    isCaught = true
    void arrives.promise.then(() => data.commit(commit))
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new OutcomeUnknown('cancelled')))
    })
  })
  const started = fleet.b.start(never)
  const failed = assert.rejects(started)
  await fleet.simulation.run({ until: () => isCaught })
  assert.equal(await fleet.simulation.settle(fleet.b.stop(60_000)), false)
  await fleet.simulation.settle(failed)
  arrives.resolve()
  await fleet.simulation.run({ untilMs: fleet.simulation.nowMs + 1_000 })
  assert.equal(await fleet.leases(), 2, 'it came')
})
