import assert from 'node:assert/strict'
import { integer, type Random } from '@strata/world'
import { guardHolds } from '../guard-holds.ts'
import type { Change, Commit, CommitOutcome, Entry, Guard, Key, Revision, Store, Write } from '../store.ts'
import { type Bench, bytes, type Define, seededRandom } from './harness.ts'
import { type Observer, observeUntil } from './observer.ts'

type State = Map<Key, Entry>
interface Done {
  readonly commit: Commit
  readonly outcome: CommitOutcome
}

export function describeModel(define: Define): void {
  for (const seed of [1, 2, 3]) {
    define(`random commits agree with a plain map, seed ${seed}`, (bench) => compareWithModel(bench, seed))
  }
}

async function compareWithModel(
  { open, prefix, signal, scaled, options }: Bench,
  seed: number,
): Promise<void> {
  const random = seededRandom(seed)
  const stores = [await open(), await open(), await open()] as const
  const names = ['a', 'b', 'c/1', 'c/2', 'ü', '😀', '\ue000'].map((name) => prefix + name)
  const after = await stores[0].currentRevision(signal)
  // The last change of all is to the bare prefix, so that a watcher knows when it has seen everything.
  const watch = (store: Store): Promise<Observer> =>
    observeUntil({ store, prefix, after, signal, breaks: options.breaks }, ({ changes }) => {
      return changes.at(-1)?.key === prefix
    })
  const early = watch(stores[1])
  const done: Done[] = []
  for (let round = 0; round < scaled(30); round++) {
    const known = await observeState(stores[0], prefix, signal)
    const lane = async (index: number): Promise<void> => {
      const commit = randomCommit(random, names, known, `${round}.${index}`)
      done.push({ commit, outcome: await (stores[index % 3] ?? stores[0]).commit(commit, signal) })
    }
    await Promise.all(Array.from({ length: 6 }, (_, index) => lane(index)))
  }
  const last: Commit = { writes: [{ kind: 'put', key: prefix, value: bytes('last') }], guards: [] }
  done.push({ commit: last, outcome: await stores[2].commit(last, signal) })

  const { changes, states } = replayInOrder(done)
  const late = await watch(stores[2])
  assert.deepEqual((await early).changes, late.changes)
  assert.deepEqual(bySharedRevision(late.changes), bySharedRevision(changes))
  for (const [revision, state] of states) {
    const page = await stores[1].list({ prefix, revision }, signal)
    assert.deepEqual(new Map(page.entries.map((entry) => [entry.key, entry])), state)
  }
  assert.deepEqual(await observeState(stores[2], prefix, signal), states.at(-1)?.[1])
}

async function observeState(store: Store, prefix: Key, signal: AbortSignal): Promise<State> {
  const { entries } = await store.list({ prefix }, signal)
  return new Map(entries.map((entry) => [entry.key, entry]))
}

/** Mostly under guards that held a moment ago; six at a time, so that some of them no longer do. */
function randomCommit(random: Random, keys: readonly Key[], known: State, label: string): Commit {
  const some = (most: number): Key[] => {
    const chosen = new Set<Key>()
    for (let count = integer(random, most + 1); count > 0; count--)
      chosen.add(keys[integer(random, keys.length)] ?? '')
    chosen.delete('')
    return [...chosen]
  }
  const writes = some(3).map((key): Write => {
    return random.fraction() < 0.3 ? { kind: 'delete', key } : { kind: 'put', key, value: bytes(label) }
  })
  const guards = some(2).map((key): Guard => {
    const entry = known.get(key)
    if (entry && random.fraction() < 0.3) return { key, value: entry.value }
    const revision = entry?.revision ?? 'absent'
    return { key, revision: random.fraction() < 0.1 ? 'absent' : revision }
  })
  // The commit itself must show whether a delete changes anything; otherwise its place in the order would be ambiguous.
  if (writes.every(({ kind }) => kind === 'delete')) {
    for (const { key } of writes) guards.push({ key, revision: known.get(key)?.revision ?? 'absent' })
  }
  return { writes, guards }
}

/** Sorts the outcomes by revision and applies them to a map, checking each decision against the state at its revision. */
function replayInOrder(done: readonly Done[]): { changes: Change[]; states: [Revision, State][] } {
  const state: State = new Map()
  const changes: Change[] = []
  const states: [Revision, State][] = []
  const moving = done.filter((one) => moves(one)).toSorted((a, b) => a.outcome.revision - b.outcome.revision)
  const still = done.filter((one) => !moves(one)).toSorted((a, b) => a.outcome.revision - b.outcome.revision)
  const checkStill = (before: Revision): void => {
    for (let [next] = still; next && next.outcome.revision < before; [next] = still) {
      checkDecision(next, state)
      still.shift()
    }
  }
  for (const { commit, outcome } of moving) {
    assert.ok(outcome.outcome === 'committed')
    checkStill(outcome.revision)
    checkDecision({ commit, outcome }, state)
    for (const [index, write] of commit.writes.entries()) {
      const revision = outcome.revisions[index] ?? 0
      const previous = state.get(write.key)
      if (write.kind === 'delete') {
        if (state.delete(write.key)) changes.push({ kind: 'delete', key: write.key, revision })
        continue
      }
      const createRevision = previous?.createRevision ?? revision
      const entry = { key: write.key, value: write.value, revision, createRevision }
      state.set(write.key, entry)
      changes.push({ kind: 'put', ...entry })
    }
    states.push([outcome.revision, new Map(state)])
  }
  checkStill(Number.POSITIVE_INFINITY)
  return { changes, states }
}

/** Whether it took a revision of its own. */
function moves({ commit, outcome }: Done): boolean {
  if (outcome.outcome === 'refused') return false
  return commit.writes.some(({ kind, key }) => {
    return kind === 'put' || commit.guards.some((guard) => guard.key === key && guard.revision !== 'absent')
  })
}

function checkDecision({ commit, outcome }: Done, state: State): void {
  const broken = commit.guards.filter((guard) => !guardHolds(guard, state.get(guard.key)))
  const want = broken.map((guard) => ({ guard, current: state.get(guard.key) }))
  assert.deepEqual(outcome.outcome === 'refused' ? outcome.broken : [], want)
}

/** The writes of one commit that share a revision have no order among themselves. */
function bySharedRevision(changes: readonly Change[]): Map<Revision, Change[]> {
  const grouped = Map.groupBy(changes, ({ revision }) => revision)
  for (const group of grouped.values()) group.sort((a, b) => (a.key < b.key ? -1 : 1))
  return grouped
}
