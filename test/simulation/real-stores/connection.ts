import {
  type ChangeBatch,
  type Commit,
  type CommitOutcome,
  type Faults,
  OutcomeUnknown,
  type Revision,
  type Store,
  StoreUnavailable,
} from '@strata/server/store'
import { integer } from '@strata/world'
import type { SimProcess, SimRandom, Simulation } from '@strata/world/sim'
import { type Counts, count } from '../coverage.ts'
import type { Mirror } from './mirror.ts'
import type { Awaited, Reality } from './reality.ts'
import type { SentCommit, Told } from './sent-commits.ts'

/** The faulty way between one process and its store. */
export interface Way {
  /** A simulated fault keeps answers back. */
  readonly isHeld: () => boolean
  /** The same of what a watch should be told. */
  readonly isWatchHeld: () => boolean
  /** Before each question: a fault may strike it. */
  strike(kind: 'read' | 'commit'): void
  /** After each batch of a watch. */
  strikeWatch(): void
  /** Throws where the process cannot reach the store at all, and the way itself cannot bring that about. */
  refuse?(): void
  /** kill -9: whatever it has open is gone. */
  end(): Promise<void>
}

export interface ConnectionParts {
  readonly simulation: Simulation
  readonly process: SimProcess
  readonly reality: Reality
  readonly mirror: Mirror
  readonly random: SimRandom
  readonly faults: Faults
  readonly counts: Counts
  readonly way: Way
  readonly open: () => Promise<Store>
  /** Takes in what the store holds by now; for an answer at a revision, at least so much. */
  readonly follow: (revision: Revision | undefined) => Promise<void>
}

/** A watch that should have been told something has so much simulated time for it. */
const watchAllowedMs = 50
/** And so much real time: a commit of which nobody was told is found by the next poll only, in simulated time. */
const watchPatienceMs = 150

/**
 * One process's own adapter. Its calls are real; each has some simulated time, and its answer comes to the process through
 * its own clock, so that a frozen one does not hear it.
 */
export class RealConnection {
  readonly #parts: ConnectionParts
  readonly #awaited = new Set<Awaited>()
  #opening: Promise<Store> | undefined
  #opened: Store | undefined
  #isEnded = false

  constructor(parts: ConnectionParts) {
    this.#parts = parts
  }

  get store(): Store {
    return {
      read: (keys, signal) => this.#ask('read', (store) => store.read(keys, signal)),
      list: (range, signal) => this.#ask('read', (store) => store.list(range, signal)),
      currentRevision: async (signal) => {
        const ask = async (store: Store) => ({ revision: await store.currentRevision(signal) })
        return (await this.#ask('read', ask)).revision
      },
      commit: (commit, signal) => this.#commit(commit, signal),
      watch: (prefix, after, signal) => this.#watch(prefix, after, signal),
      compact: async (revision, signal) => {
        const ask = async (store: Store) => {
          await store.compact(revision, signal)
          return { revision: 0 }
        }
        await this.#ask('read', ask)
      },
      close: () => this.end(),
    }
  }

  /** Ends the connection: with its process, or alone. */
  async end(): Promise<void> {
    if (this.#isEnded) return
    this.#isEnded = true
    for (const awaited of this.#awaited) awaited.end()
    this.#awaited.clear()
    await this.#parts.way.end()
    await this.#opened?.close()
  }

  async #commit(commit: Commit, signal: AbortSignal): Promise<CommitOutcome> {
    const { process, simulation, mirror, counts } = this.#parts
    const sent: SentCommit = { writer: process.id, commit, sentMs: simulation.nowMs, found: [], broken: [] }
    if (commit.writes.length > 0) mirror.sent.push(sent)
    const tell = (how: Told, text: string, revisions: readonly Revision[] = []): void => {
      sent.told = { how, text, revisions }
      count(counts, `store told: ${how}`)
    }
    const act = async (store: Store): Promise<CommitOutcome> => {
      const outcome = await store.commit(commit, signal)
      tell(outcome.outcome, '', outcome.outcome === 'committed' ? outcome.revisions : [])
      return outcome
    }
    const onError = (error: unknown): void =>
      tell(error instanceof OutcomeUnknown ? 'unknown' : 'failed', String(error))
    const outcome = await this.#ask('commit', act, onError)
    if (outcome.outcome === 'committed') mirror.confirm(sent)
    return outcome
  }

  /** Asks the real store, and lets the answer come when its simulated time is over, or later. */
  async #ask<T extends { readonly revision: Revision }>(
    kind: 'read' | 'commit',
    act: (store: Store) => Promise<T>,
    onError: (error: unknown) => void = () => {},
  ): Promise<T> {
    const { simulation, process, random, faults, way } = this.#parts
    const { from, to } = faults.delayMs
    const allowedMs = from + integer(random, to - from + 1)
    const dueMs = simulation.nowMs + allowedMs
    const awaited = this.#expect(allowedMs, () => process.frozen || way.isHeld())
    let answer: () => T
    try {
      if (this.#isEnded) throw new StoreUnavailable('the store is closed')
      way.refuse?.()
      way.strike(kind)
      const value = await act(await this.#open())
      await this.#parts.follow(value.revision)
      answer = () => value
    } catch (error) {
      onError(error)
      await this.#parts.follow(undefined)
      answer = () => {
        throw error
      }
    }
    this.#end(awaited)
    await this.#arrive(dueMs - simulation.nowMs)
    return answer()
  }

  async *#watch(prefix: string, after: Revision, signal: AbortSignal): AsyncGenerator<ChangeBatch, void> {
    const { mirror, process, way, faults, random } = this.#parts
    let seen = after
    let isPulling = false
    let owed: Awaited | undefined
    /** What is not told in time is behind, and holds nobody up until it has told something again. */
    let isBehind = false
    const owe = (revision: Revision): void => {
      if (revision <= seen || owed || isBehind) return
      isBehind = true
      const isHeld = (): boolean => !isPulling || process.frozen || way.isWatchHeld()
      owed = this.#expect(watchAllowedMs, isHeld, watchPatienceMs)
    }
    const follow = (changes: ChangeBatch['changes']): void => {
      const last = changes.findLast(({ key }) => key.startsWith(prefix))
      if (last) owe(last.revision)
    }
    mirror.followers.add(follow)
    try {
      const store = await this.#open()
      const batches = store.watch(prefix, after, signal)[Symbol.asyncIterator]()
      for (;;) {
        isPulling = true
        const next = await batches.next()
        isPulling = false
        if (next.done) break
        await this.#parts.follow(next.value.revision)
        seen = next.value.revision
        if (owed) this.#end(owed)
        owed = undefined
        isBehind = false
        const { from, to } = faults.delayMs
        await this.#arrive(from + integer(random, to - from + 1))
        if (signal.aborted) break
        yield next.value
        way.strikeWatch()
      }
    } catch (error) {
      await this.#arrive(0)
      throw error
    } finally {
      if (owed) this.#end(owed)
      mirror.followers.delete(follow)
    }
  }

  /** Through the clock of the process: not while it is frozen, and never once it is dead. */
  async #arrive(afterMs: number): Promise<void> {
    const { simulation, process } = this.#parts
    await new Promise<void>((resolve) => {
      const arrive = (): void => process.clock.soon(resolve)
      if (afterMs > 0) simulation.clock.after(afterMs, arrive)
      else arrive()
    })
  }

  /** One that could not be opened is opened by whoever asks next. */
  #open(): Promise<Store> {
    this.#opening ??= this.#parts.open().then(
      (store) => {
        this.#opened = store
        if (this.#isEnded) void store.close()
        return store
      },
      (error: unknown) => {
        this.#opening = undefined
        throw error
      },
    )
    return this.#opening
  }

  #expect(allowedMs: number, isHeld: () => boolean, patienceMs?: number): Awaited {
    const awaited = this.#parts.reality.expect(allowedMs, isHeld, patienceMs)
    this.#awaited.add(awaited)
    return awaited
  }

  #end(awaited: Awaited): void {
    awaited.end()
    this.#awaited.delete(awaited)
  }
}
