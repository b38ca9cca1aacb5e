import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { type Commit, OutcomeUnknown, StoreUnavailable } from '../store/index.ts'
import { createMemoryStore, MemoryData } from '../store/memory/index.ts'
import { type BlockedWrites, WriteHealth } from './write-health.ts'

const { signal } = new AbortController()
const put: Commit = { writes: [{ kind: 'put', key: '/key', value: Buffer.from('x') }], guards: [] }
const remove: Commit = { writes: [{ kind: 'delete', key: '/key' }], guards: [] }
const confirm: Commit = { writes: [], guards: [] }

function stage() {
  const { clock } = new Simulation('write health').process('a')
  const health = new WriteHealth({ clock, log: silentLog })
  const recovered: BlockedWrites[] = []
  health.onRecovered = (past) => recovered.push(past)
  const memory = createMemoryStore(new MemoryData())
  let failure: Error | undefined
  const store = health.observe({
    ...memory,
    read: (keys, until) => memory.read(keys, until),
    commit: (commit, until) => (failure ? Promise.reject(failure) : memory.commit(commit, until)),
  })
  const fail = async (error: Error): Promise<void> => {
    failure = error
    await assert.rejects(store.commit(put, signal), (thrown) => thrown === error)
    failure = undefined
  }
  return { health, store, recovered, fail }
}

const full = new OutcomeUnknown('database or disk is full', { fault: 'out-of-space' })

test('write health: a fault is reported until a put succeeds', async () => {
  const { health, store, recovered, fail } = stage()
  assert.equal(health.problem, undefined)
  await fail(full)
  await fail(new StoreUnavailable('the same, known to have written nothing', { fault: 'out-of-space' }))
  assert.match(health.problem ?? '', /cannot be written since .* \(2 failures\).*known to have written/)
  assert.equal(health.fault, 'out-of-space')
  // Neither needs space.
  await store.commit(confirm, signal)
  await store.commit(remove, signal)
  assert.equal(health.fault, 'out-of-space')
  assert.deepEqual(recovered, [])
  await store.commit(put, signal)
  assert.equal(health.problem, undefined)
  assert.equal(health.fault, undefined)
  assert.deepEqual(
    recovered.map(({ fault, failures }) => [fault, failures]),
    [['out-of-space', 2]],
  )
  assert.deepEqual([...health.failures], [['out-of-space', 2]])
})

test('write health: a commit that lost its race, or a store that is away, is no fault', async () => {
  const { health, store, fail } = stage()
  await fail(new StoreUnavailable('connection refused'))
  await fail(new OutcomeUnknown('the answer was lost'))
  await store.commit({ ...put, guards: [{ key: '/key', revision: 77 }] }, signal)
  assert.equal(health.problem, undefined)
  await fail(full)
  await store.commit({ ...put, guards: [{ key: '/key', revision: 77 }] }, signal)
  assert.equal(health.fault, 'out-of-space', 'a refused commit has written nothing')
})

test('write health: a file that is damaged or replaced is noticed by a read, and stays so', async () => {
  for (const fault of ['damaged', 'replaced'] as const) {
    const { clock } = new Simulation('write health').process('a')
    const health = new WriteHealth({ clock, log: silentLog })
    const memory = createMemoryStore(new MemoryData())
    const store = health.observe({
      ...memory,
      commit: (commit, until) => memory.commit(commit, until),
      read: () => Promise.reject(new StoreUnavailable('not what it was', { fault })),
    })
    await assert.rejects(store.read(['/key'], signal), StoreUnavailable)
    await store.commit(put, signal)
    assert.equal(health.fault, fault)
    assert.match(health.problem ?? '', /not what it was/)
  }
})
