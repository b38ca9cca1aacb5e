import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNodeRandom, nodeClock } from '@strata/world/node'
import { type SimProcess, Simulation } from '@strata/world/sim'
import { bytes, put, seededRandom } from '../contract/harness.ts'
import { brief, observeUntil } from '../contract/observer.ts'
import { describeStoreContract } from '../contract.ts'
import { OutcomeUnknown, StoreUnavailable } from '../errors.ts'
import { createMemoryStore, MemoryData } from '../memory/index.ts'
import { type Commit, readOne, type Store } from '../store.ts'
import { createFaultyStore, type Faults, type FaultyStoreOptions, noFaults } from './index.ts'

const { signal } = new AbortController()
const slow = { from: 1, to: 20 }
/** On the real clock of a busy machine an answer is late, and must not be taken for one that is lost. */
const patient = { timeoutMs: 600_000 }

describeStoreContract('faulty, without faults', async () => {
  const data = new MemoryData()
  const world = {
    network: nodeClock,
    local: nodeClock,
    random: createNodeRandom(),
    faults: noFaults,
    ...patient,
  }
  return { open: async () => createFaultyStore(createMemoryStore(data), world) }
})

describeStoreContract(
  'faulty, delayed and with watches that break',
  async () => {
    const data = new MemoryData()
    const faults: Faults = { ...noFaults, delayMs: { from: 0, to: 1 }, watchCut: 0.02, watchRepeat: 0.5 }
    const world = { network: nodeClock, local: nodeClock, random: seededRandom(1), faults, ...patient }
    return { open: async () => createFaultyStore(createMemoryStore(data), world) }
  },
  { breaks: true, scale: 0.2 },
)

interface Scene {
  readonly sim: Simulation
  readonly process: SimProcess
  /** Bypasses all faults. */
  readonly direct: Store
  readonly faulty: Store
}

function stage(seed: number, faults: Partial<Faults>, options: Partial<FaultyStoreOptions> = {}): Scene {
  const sim = new Simulation(seed)
  const process = sim.process('server')
  const data = new MemoryData()
  const faulty = createFaultyStore(createMemoryStore(data), {
    network: sim.clock,
    local: process.clock,
    random: sim.fork('store faults'),
    faults: { ...noFaults, ...faults },
    ...options,
  })
  return { sim, process, direct: createMemoryStore(data), faulty }
}

const create = (key: string): Commit => ({
  writes: [{ kind: 'put', key, value: bytes(key) }],
  guards: [{ key, revision: 'absent' }],
})

/** The outcome of a commit, as its caller and as the store see it. */
async function outcomeOf({ sim, faulty, direct }: Scene, commit: Commit): Promise<string> {
  const said = await sim.settle(
    faulty.commit(commit, signal).then(
      ({ outcome }) => outcome,
      (error: Error) => error.name,
    ),
  )
  // Let whatever is still under way arrive.
  await sim.settle(new Promise<void>((resolve) => sim.clock.after(1000, resolve)))
  const entry = await readOne(direct, commit.writes[0]?.key ?? '', signal)
  return `${said}, ${entry ? 'written' : 'not written'}`
}

async function outcomesOf(scene: Scene, count: number): Promise<string[]> {
  const outcomes: string[] = []
  for (let index = 0; index < count; index++) outcomes.push(await outcomeOf(scene, create(`/key/${index}`)))
  return outcomes
}

const cases: ReadonlyArray<[name: string, faults: Partial<Faults>, want: readonly string[]]> = [
  ['nothing is lost on a good network', {}, ['committed, written']],
  [
    'a lost request is known to be lost only if it was turned away',
    { requestLost: 1 },
    ['OutcomeUnknown, not written', 'StoreUnavailable, not written'],
  ],
  ['a lost answer hides a write', { answerLost: 1 }, ['OutcomeUnknown, written']],
  ['a repeated request is stopped by its guards', { commitRepeated: 1 }, ['committed, written']],
  [
    'all at once, and no answer is false',
    { requestLost: 0.3, answerLost: 0.3, commitRepeated: 0.5 },
    [
      'OutcomeUnknown, not written',
      'OutcomeUnknown, written',
      'StoreUnavailable, not written',
      'committed, written',
    ],
  ],
]
for (const [name, faults, want] of cases) {
  test(`faulty: ${name}`, async () => {
    const outcomes = await outcomesOf(stage(1, { delayMs: slow, ...faults }), 60)
    assert.deepEqual(new Set(outcomes), new Set(want))
    assert.deepEqual(
      await outcomesOf(stage(1, { delayMs: slow, ...faults }), 60),
      outcomes,
      'one seed, two stories',
    )
  })
}

test('faulty: without guards a repeated commit is written twice', async () => {
  const scene = stage(1, { delayMs: slow, commitRepeated: 1 })
  const before = await scene.direct.currentRevision(signal)
  await outcomeOf(scene, { ...create('/key'), guards: [] })
  assert.equal(await scene.direct.currentRevision(signal), before + 2)
})

test('faulty: a frozen process hears of its commit only when it thaws', async () => {
  const { sim, process, faulty, direct } = stage(1, { delayMs: slow })
  let heard = false
  const commit = faulty.commit(create('/key'), signal).then(() => {
    heard = true
  })
  process.freeze()
  await sim.run({ untilMs: sim.nowMs + 1000 })
  assert.equal((await direct.read(['/key'], signal)).entries.length, 1)
  assert.ok(await readOne(direct, '/key', signal))
  assert.equal(heard, false)
  process.thaw()
  await sim.settle(commit)
})

test('faulty: a partition stops everything, and its end repairs the watch', async () => {
  let partitioned = false
  const { sim, faulty, direct } = stage(3, { delayMs: slow }, { partitioned: () => partitioned })
  const after = await direct.currentRevision(signal)
  const watch = observeUntil(
    { store: faulty, prefix: '/key/', after, signal, breaks: true },
    ({ changes }) => {
      return changes.length === 3
    },
  )
  await put(direct, '/key/1', 'before', signal)
  await sim.run({ untilMs: sim.nowMs + 500 })
  partitioned = true
  for (let index = 0; index < 10; index++) {
    await assert.rejects(sim.settle(faulty.currentRevision(signal)), StoreUnavailable)
    await assert.rejects(sim.settle(faulty.commit(create('/other'), signal)), (error) => {
      return error instanceof StoreUnavailable || error instanceof OutcomeUnknown
    })
  }
  assert.equal(await readOne(direct, '/other', signal), undefined)
  await put(direct, '/key/1', 'during', signal)
  await sim.run({ untilMs: sim.nowMs + 500 })
  partitioned = false
  await put(direct, '/key/1', 'after', signal)
  const { changes } = await sim.settle(watch)
  assert.deepEqual(brief(changes, '/key/'), ['1=before', '1=during', '1=after'])
})

test('faulty: a watch that is cut again and again misses nothing', async () => {
  const { sim, faulty, direct } = stage(5, { delayMs: slow, watchCut: 0.5, watchRepeat: 1 })
  const after = await direct.currentRevision(signal)
  const watch = observeUntil({ store: faulty, prefix: '/', after, signal, breaks: true }, ({ changes }) => {
    return changes.length === 200
  })
  const random = sim.fork('writes')
  const write = (index: number): void => {
    if (index === 200) return
    void put(direct, `/${index}`, 'x', signal)
    sim.clock.after(random.fraction() * 50, () => write(index + 1))
  }
  write(0)
  const { changes, batches } = await sim.settle(watch)
  assert.equal(changes.length, 200)
  const delivered = batches.reduce((sum, batch) => sum + batch.changes.length, 0)
  assert.ok(delivered > 200, 'the allowed repeat never happened')
})

test('faulty: a hook holds a commit at the door of the store', async () => {
  const gate = Promise.withResolvers<void>()
  const { sim, faulty, direct } = stage(1, {}, { hooks: { beforeCommit: () => gate.promise } })
  const commit = faulty.commit(create('/key'), signal)
  await sim.run({ untilMs: sim.nowMs + 100 })
  assert.equal(await readOne(direct, '/key', signal), undefined)
  gate.resolve()
  assert.equal((await sim.settle(commit)).outcome, 'committed')
})

test('faulty: an abandoned commit has an unknown outcome', async () => {
  const { sim, faulty, direct } = stage(1, { delayMs: slow })
  const patience = new AbortController()
  const commit = faulty.commit(create('/key'), patience.signal)
  patience.abort()
  await assert.rejects(commit, OutcomeUnknown)
  await sim.run({ untilMs: sim.nowMs + 100 })
  assert.ok(await readOne(direct, '/key', signal))
})

test('faulty: a late commit is written long after its caller has given up, or died', async () => {
  for (const dies of [false, true]) {
    const lateness: number[] = []
    const late = { delayMs: slow, commitLate: 1, latestMs: 60_000 }
    const { sim, process, faulty, direct } = stage(4, late, { onLate: (lateMs) => lateness.push(lateMs) })
    const commit = faulty.commit(create('/key'), signal)
    commit.catch(() => {})
    if (dies) process.crash()
    else await assert.rejects(sim.settle(commit), OutcomeUnknown)
    assert.ok((lateness[0] ?? 0) > 5_000, 'it is later than its caller waits')
    assert.equal(await readOne(direct, '/key', signal), undefined)
    await sim.run({ untilMs: 61_000 })
    assert.ok(await readOne(direct, '/key', signal))
  }
})
