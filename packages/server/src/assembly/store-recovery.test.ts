import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import type { GapCause } from '../coordination/index.ts'
import { createMemoryStore, MemoryData, type Store } from '../store/homes.ts'
import { type Commit, incarnationText, RevisionCompacted, StoreUnavailable } from '../store/index.ts'
import { incarnationKey, type StoreMember, StoreRecovery } from './store-recovery.ts'

const never = new AbortController().signal
const tickKey = '/registry/strata.dev/ticks/a'
const put: Commit = { writes: [{ kind: 'put', key: '/x', value: Buffer.from('x') }], guards: [] }

const mark = async (): Promise<void> => {}
const forget = (): void => {}

function setUp(wrap: (store: Store, data: MemoryData) => Store = (store) => store) {
  const simulation = new Simulation('store recovery')
  const data = new MemoryData()
  const gaps: GapCause[] = []
  /** For each stop: the promise of callers that wait for the store from then on. */
  const waits: Promise<void>[] = []
  const store = wrap(createMemoryStore(data), data)
  const lines: string[] = []
  const log = createLog((level, message) => lines.push(`${level} ${message}`))
  const world = { ...simulation.process('a'), log }
  const recovery = new StoreRecovery({ world, store, ownKey: '/own', tickKey })
  const { timeline } = recovery
  const member: StoreMember = {
    stop: () => void waits.push(recovery.readable),
    forget,
    mark: async (gap) => void gaps.push(gap),
    rejoin: async (gap) => void gaps.push(gap),
  }
  const start = (): Promise<void> => recovery.start(member, never)
  const write = (count: number): void => {
    for (let index = 0; index < count; index++) data.commit(put)
  }
  const incarnation = (): string | undefined => data.read([incarnationKey]).entries[0]?.value.toString()
  return { simulation, data, timeline, recovery, start, gaps, write, incarnation, waits, lines }
}

test('store recovery: a store without an incarnation is given one at the start, and keeps it', async () => {
  const { simulation, recovery, start, incarnation } = setUp()
  await simulation.settle(start())
  await simulation.settle(recovery.readable)
  const first = incarnation()
  assert.ok(first)
  await simulation.settle(start())
  assert.equal(incarnation(), first)
})

test('store recovery: a server that comes second to a new store takes the incarnation of the first', async () => {
  const other = Buffer.from(incarnationText({ id: 'other', lost: 0, isMarked: true }))
  const { simulation, start, incarnation, lines } = setUp((store, data) => ({
    ...store,
    commit: (commit, signal) => {
      if (data.read([incarnationKey]).entries[0] === undefined)
        data.commit({ writes: [{ kind: 'put', key: incarnationKey, value: other }], guards: [] })
      return store.commit(commit, signal)
    },
  }))
  await simulation.settle(start())
  assert.equal(incarnation(), other.toString())
  assert.deepEqual(lines, ['info another server initialised the store first; reading it again'])
})

test('store recovery: other servers are notified, old revisions are passed, and then the server rejoins', async () => {
  const { simulation, data, timeline, recovery, start, gaps, write, incarnation, waits } = setUp()
  await simulation.settle(start())
  const before = incarnation()
  write(50)
  const highest = await simulation.settle(timeline.currentRevision(never))
  data.restoreTo(10)
  await assert.rejects(simulation.settle(timeline.currentRevision(never)))
  assert.equal(waits.length, 1)
  await simulation.run({ until: () => gaps.length > 0, untilMs: simulation.nowMs + 60_000 })
  assert.equal(gaps[0]?.reason, 'StoreRestored')
  assert.notEqual(incarnation(), before)
  assert.ok(data.revision > highest)
  await simulation.settle(recovery.readable)
})

test('store recovery: a store that is replaced again meanwhile is taken up too, and who waits goes on waiting', async () => {
  const { simulation, data, timeline, recovery, start, gaps, write, waits } = setUp((store, data) => {
    let isFirst = true
    return {
      ...store,
      commit: async (commit, signal) => {
        const isTick = commit.writes.some(({ key }) => key === tickKey)
        // Revisions are being passed: the store is put back once more.
        if (isTick && isFirst && data.revision > 20) {
          isFirst = false
          data.restoreTo(5)
        }
        return store.commit(commit, signal)
      },
    }
  })
  await simulation.settle(start())
  write(50)
  await simulation.settle(timeline.currentRevision(never))
  data.restoreTo(10)
  await assert.rejects(simulation.settle(timeline.currentRevision(never)))
  await simulation.run({ until: () => gaps.length > 0, untilMs: simulation.nowMs + 60_000 })
  assert.deepEqual([recovery.count, waits.length, gaps.length], [2, 2, 1])
  // Otherwise a cache that waited when it was replaced again would wait for ever.
  const all = Promise.all(waits).then(() => 'readable')
  const now = new Promise((resolve) => setImmediate(resolve, 'still waiting'))
  assert.equal(await Promise.race([all, now]), 'readable')
  assert.ok(data.revision > 50)
})

test('store recovery: a server that is rejoining when the store is replaced again begins anew at once', async () => {
  const simulation = new Simulation('rejoining')
  const data = new MemoryData()
  let rejoins = 0
  const store = createMemoryStore(data)
  const recovery = new StoreRecovery({ world: simulation.process('a'), store, ownKey: '/own', tickKey })
  const { timeline } = recovery
  const member: StoreMember = {
    ...{ stop: () => {}, forget, mark },
    // The first waits for what can never come: the store that it was about is gone.
    rejoin: (_gap, signal) =>
      rejoins++ > 0
        ? Promise.resolve()
        : new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  }
  await simulation.settle(recovery.start(member, never))
  for (let round = 1; round <= 2; round++) {
    for (let index = 0; index < 20; index++) data.commit(put)
    await simulation.settle(timeline.currentRevision(never))
    data.restoreTo(10)
    await assert.rejects(simulation.settle(timeline.currentRevision(never)))
    const beganMs = simulation.nowMs
    await simulation.run({ until: () => rejoins === round, untilMs: beganMs + 60_000 })
    assert.equal(rejoins, round)
    assert.ok(simulation.nowMs - beganMs < 10_000, 'it waited for the attempt before')
  }
})

/** Servers over one store, each with a timeline and a recovery of its own. */
function fleetOf(title: string, names: readonly string[]) {
  const simulation = new Simulation(title)
  const data = new MemoryData()
  const members = names.map((name) => {
    let rejoins = 0
    const recovery = new StoreRecovery({
      ...{ world: simulation.process(name), store: createMemoryStore(data) },
      ...{ ownKey: `/own/${name}`, tickKey: `/ticks/${name}` },
    })
    const member: StoreMember = { stop: () => {}, forget, mark, rejoin: async () => void rejoins++ }
    const start = (): Promise<void> => recovery.start(member, never)
    return { timeline: recovery.timeline, recovery, start, rejoins: () => rejoins }
  })
  const write = (count: number): void => {
    for (let index = 0; index < count; index++) data.commit(put)
  }
  /** Every server reads through the barrier, again and again, and what follows is waited for. */
  const readEverywhere = async (rounds = 1): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      for (const { timeline } of members) {
        await simulation.settle(timeline.currentRevision(never).catch(() => 0))
        await simulation.run({ untilMs: simulation.nowMs + 10_000 })
      }
    }
  }
  const start = async (): Promise<void> => {
    for (const member of members) await simulation.settle(member.start())
  }
  return { simulation, data, members, write, readEverywhere, start }
}

for (const isFollowed of [true, false]) {
  const how = isFollowed ? 'that watch the restored store' : 'that look now and then'
  test(`store recovery: each of three servers ${how} begins anew once, after one restore`, async () => {
    const { simulation, data, members, write, readEverywhere, start } = fleetOf(how, ['a', 'b', 'c'])
    await start()
    write(50)
    await readEverywhere()
    data.restoreTo(10)
    if (isFollowed) {
      // Like the cache: it gets events of the new timeline before the server notices the restore.
      for (const { timeline } of members) {
        const watch = timeline.watch('/', data.revision, never)[Symbol.asyncIterator]()
        const follow = async (): Promise<void> => {
          while (!(await watch.next()).done);
        }
        void follow().catch(() => {})
      }
    }
    await readEverywhere(10)
    await simulation.run({ untilMs: simulation.nowMs + 60_000 })
    assert.deepEqual(
      members.map(({ recovery, rejoins }) => [recovery.count, rejoins()]),
      [
        [1, 1],
        [1, 1],
        [1, 1],
      ],
    )
  })
}

test('store recovery: an incarnation that came back with a second restore is renewed', async () => {
  const { data, members, write, readEverywhere, start } = fleetOf('second restore', ['a', 'b'])
  await start()
  write(10)
  const backup = data.revision
  const incarnation = (): string | undefined => data.read([incarnationKey]).entries[0]?.value.toString()
  const seen = [incarnation()]
  for (let restore = 1; restore <= 3; restore++) {
    write(50)
    await readEverywhere()
    data.restoreTo(backup)
    await readEverywhere(2)
    seen.push(incarnation())
    assert.deepEqual(
      members.map(({ recovery }) => recovery.count),
      [restore, restore],
    )
  }
  assert.equal(new Set(seen).size, seen.length)
})

test('store recovery: no server reads a revision of before, not even one that others have notified', async () => {
  const { simulation, data, members, write, readEverywhere, start } = fleetOf('pages', ['a', 'b'])
  await start()
  write(50)
  await readEverywhere()
  const old = data.revision
  data.restoreTo(10)
  const [a, b] = members
  assert.ok(a && b)
  await simulation.settle(a.timeline.currentRevision(never).catch(() => 0))
  await simulation.run({ untilMs: simulation.nowMs + 10_000 })
  write(5)
  // This one finds the revision beyond all that it has seen.
  const list = () => simulation.settle(b.timeline.list({ prefix: '/', revision: old }, never))
  await simulation.settle(b.timeline.currentRevision(never).catch(() => 0))
  assert.equal(b.recovery.count, 1)
  await simulation.run({ until: () => b.rejoins() > 0, untilMs: simulation.nowMs + 10_000 })
  await assert.rejects(list(), RevisionCompacted)
})

for (let turns = 0; turns <= 8; turns++) {
  test(`store recovery: a store that is replaced ${turns} microtasks after the server has rejoined is taken up`, async () => {
    const simulation = new Simulation(`microtasks ${turns}`)
    const store = createMemoryStore(new MemoryData())
    const recovery = new StoreRecovery({ world: simulation.process('a'), store, ownKey: '/own', tickKey })
    let rejoins = 0
    const replace = (): void => recovery.timeline.noteReplaced('replaced')
    const member: StoreMember = {
      ...{ stop: () => {}, forget, mark },
      rejoin: async () => {
        if (rejoins++ > 0) return
        const later = (left: number): void => (left === 0 ? replace() : queueMicrotask(() => later(left - 1)))
        queueMicrotask(() => later(turns))
      },
    }
    await simulation.settle(recovery.start(member, never))
    replace()
    await simulation.run({ until: () => rejoins > 1, untilMs: simulation.nowMs + 60_000 })
    assert.equal(rejoins, 2)
  })
}

test('store recovery: a server that starts after a restore reads nothing of the revisions that were lost', async () => {
  const { simulation, data, timeline, start, gaps, write, incarnation } = setUp()
  await simulation.settle(start())
  write(50)
  const highest = await simulation.settle(timeline.currentRevision(never))
  data.restoreTo(10)
  await assert.rejects(simulation.settle(timeline.currentRevision(never)))
  const isMarked = (): boolean => incarnation()?.endsWith(' marked') === true
  await simulation.run({ until: isMarked, untilMs: simulation.nowMs + 60_000 })
  assert.equal(gaps.length, 1)
  write(5)
  const second = new StoreRecovery({
    ...{ world: simulation.process('b'), store: createMemoryStore(data), ownKey: '/later', tickKey },
  })
  const later = second.timeline
  const member: StoreMember = {
    stop: () => assert.fail('nothing was replaced under this server'),
    forget,
    mark: () => assert.fail('the records are marked already'),
    rejoin: async () => {},
  }
  await simulation.settle(second.start(member, never))
  // Otherwise a client that has seen this revision before the restore would go on from it in another timeline.
  await assert.rejects(later.list({ prefix: '/', revision: highest }, never), RevisionCompacted)
  await assert.rejects(later.watch('/', highest, never)[Symbol.asyncIterator]().next(), RevisionCompacted)
  const { revision } = await later.list({ prefix: '/', revision: data.revision }, never)
  assert.equal(revision, data.revision)
})

test('store recovery: servers that notice a renewed incarnation do not renew it again', async () => {
  const simulation = new Simulation('renewed once')
  const data = new MemoryData()
  const noticed: string[] = []
  const servers = ['a', 'b'].map((name) => {
    const recovery = new StoreRecovery({
      ...{ world: simulation.process(name), store: createMemoryStore(data) },
      ...{ ownKey: `/own/${name}`, tickKey: `${tickKey}-${name}` },
    })
    const member: StoreMember = { stop: () => void noticed.push(name), forget, mark, rejoin: async () => {} }
    return { timeline: recovery.timeline, recovery, start: () => recovery.start(member, never) }
  })
  for (const { start } of servers) await simulation.settle(start())
  for (let index = 0; index < 50; index++) data.commit(put)
  for (const { timeline } of servers) await simulation.settle(timeline.currentRevision(never))
  data.restoreTo(10)
  // Each sees everything that is written, as a server with a watch does, before it asks for the incarnation.
  for (let round = 0; round < 10; round++) {
    for (const { timeline, recovery } of servers) {
      await simulation.settle(timeline.list({ prefix: '/' }, never)).catch(() => {})
      await simulation.settle(timeline.currentRevision(never)).catch(() => {})
      await simulation.settle(recovery.readable)
    }
  }
  assert.deepEqual(noticed, ['a', 'b'])
})

test('store recovery: a full disk at the first start leaves reads served, and the incarnation comes later', async () => {
  let isFull = true
  const { simulation, recovery, start, incarnation } = setUp((store) => ({
    ...store,
    commit: async (commit, signal) => {
      if (isFull) throw new StoreUnavailable('the disk is full', { fault: 'out-of-space' })
      return store.commit(commit, signal)
    },
  }))
  const started = start()
  await simulation.settle(recovery.readable)
  assert.equal(incarnation(), undefined)
  isFull = false
  await simulation.settle(started)
  assert.ok(incarnation())
})

test('store recovery: a server without any client looks at the incarnation itself', async () => {
  const { simulation, data, recovery, start, gaps } = setUp()
  await simulation.settle(start())
  const over = new AbortController()
  void recovery.look(5_000, over.signal)
  await simulation.run({ untilMs: simulation.nowMs + 20_000 })
  assert.equal(recovery.count, 0)
  const value = Buffer.from('renewed by another server')
  data.commit({ writes: [{ kind: 'put', key: incarnationKey, value }], guards: [] })
  await simulation.run({ until: () => gaps.length > 0, untilMs: simulation.nowMs + 20_000 })
  over.abort()
  assert.equal(recovery.count, 1)
})

test('store recovery: a server that starts marks the records if the one that noticed has not come to it', async () => {
  const { simulation, data, recovery, start, gaps, write, incarnation } = setUp()
  write(20)
  const text = 'another 15'
  data.commit({ writes: [{ kind: 'put', key: incarnationKey, value: Buffer.from(text) }], guards: [] })
  await simulation.settle(start())
  await simulation.settle(recovery.marked)
  assert.deepEqual(
    gaps.map(({ reason }) => reason),
    ['StoreRestored'],
  )
  assert.equal(incarnation(), `${text} marked`)
  // Each record once: the next server finds that it is done.
  await simulation.settle(start())
  assert.equal(gaps.length, 1)
})

test('store recovery: a replacement that is noticed before the start is handled by the start', async () => {
  const { simulation, timeline, recovery, start, gaps, waits, incarnation } = setUp()
  timeline.noteReplaced('restored while no server ran')
  assert.deepEqual([recovery.count, waits.length], [0, 0])
  void start()
  assert.deepEqual([recovery.count, waits.length], [1, 1])
  await simulation.run({ until: () => gaps.length > 0, untilMs: simulation.nowMs + 60_000 })
  await simulation.settle(recovery.marked)
  assert.equal(gaps[0]?.reason, 'StoreRestored')
  assert.ok(incarnation())
})
