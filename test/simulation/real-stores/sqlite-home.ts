import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Worker } from 'node:worker_threads'
import { type Change, type Faults, type Store, StoreUnavailable } from '@strata/server/store'
import { createSqliteStore } from '@strata/server/store/sqlite'
import { FileFaults, startFailingWriter, strike } from '@strata/server/store/sqlite/failing-writer-for-test'
import { chance, pick, silentLog } from '@strata/world'
import { createNodeRandom, nodeClock } from '@strata/world/node'
import type { SimProcess } from '@strata/world/sim'
import { count } from '../coverage.ts'
import type { Way } from './connection.ts'
import { holdTimeMs } from './hold-time.ts'
import type { Mirror } from './mirror.ts'
import type { Home, RealWorld } from './real-store.ts'

/** How often the file is looked at for commits that came after their caller had given up. */
const lookMs = 200

/** One file, which every server has open with a writing thread of its own; each of them meets errors of its own. */
export class SqliteHome implements Home {
  readonly revisions = 'each'
  readonly #directory: string
  readonly #path: string
  /** Sees the file as it is. */
  #eye: DatabaseSync
  /** Is in the way of others. */
  #neighbour: DatabaseSync
  #isLocked = false
  #mirror: Mirror | undefined
  #world: RealWorld | undefined

  private constructor(directory: string) {
    this.#directory = directory
    this.#path = join(directory, 'store.db')
    this.#eye = new DatabaseSync(this.#path, { timeout: 1_000 })
    this.#neighbour = new DatabaseSync(this.#path, { timeout: 0 })
  }

  static async open(): Promise<SqliteHome> {
    const directory = mkdtempSync(join(tmpdir(), 'strata-sim-sqlite-'))
    const world = { clock: nodeClock, random: createNodeRandom(), log: silentLog }
    // The first one to open the store creates it. The simulated servers find it there.
    const first = await createSqliteStore({ path: join(directory, 'store.db'), ...world })
    const home = new SqliteHome(directory)
    home.#eye.exec('SELECT count(*) FROM log')
    await first.close()
    return home
  }

  follow(mirror: Mirror, world: RealWorld): void {
    this.#mirror = mirror
    this.#world = world
    // While the lock is kept from everybody, it may not come about.
    const compacted = (how: string) => () => count(world.history.counts, `store: compaction ${how}`)
    mirror.onCompact = (revision) =>
      void this.#compact(revision).then(compacted('done'), compacted('not done'))
    const look = (): void => {
      this.#take()
      world.simulation.clock.after(lookMs, look)
    }
    look()
  }

  async catchUp(): Promise<void> {
    this.#take()
  }

  async catchUpWithAll(): Promise<void> {
    this.#take()
  }

  connect(process: SimProcess, faults: Faults): { readonly way: Way; readonly open: () => Promise<Store> } {
    const { simulation, history, disturbances } = this.#world ?? notFollowed()
    const random = simulation.fork(`file of ${process.name}`)
    const file = new FileFaults()
    const start = startFailingWriter(file)
    const writers: Worker[] = []
    const isCutOff = (): boolean => disturbances.isCutOff(process.id)
    const strikeCommit = (): void => {
      const rates = [faults.requestLost, faults.answerLost]
      const what = isCutOff()
        ? strike.begin
        : chance(random, rates[0] ?? 0)
          ? pick(random, [strike.begin, strike.write] as const)
          : chance(random, rates[1] ?? 0)
            ? pick(random, [strike.commitLost, strike.commitKept] as const)
            : strike.none
      if (what === strike.none) return
      count(history.counts, `store fault: ${nameOf(what)}`)
      file.next(what)
    }
    let struck = 0
    /** An error that is set meets the next transaction that comes so far, if any does. */
    const noteStruck = (): void => {
      if (file.struck > struck) count(history.counts, 'store fault: I/O error met', file.struck - struck)
      struck = file.struck
    }
    const way: Way = {
      isHeld: () => this.#isLocked,
      isWatchHeld: () => this.#isLocked,
      strike: (kind) => {
        noteStruck()
        if (kind === 'commit') strikeCommit()
        if (chance(random, faults.requestLost)) this.#lock(holdTimeMs(random))
      },
      strikeWatch: () => {},
      refuse: () => {
        if (isCutOff()) throw new StoreUnavailable('the disk does not answer (simulated)')
      },
      // In the middle of whatever it does.
      end: async () => {
        await Promise.all(writers.map((writer) => writer.terminate()))
        noteStruck()
      },
    }
    const open = (): Promise<Store> =>
      createSqliteStore({
        ...{ path: this.#path, clock: process.clock, random: process.random, log: silentLog },
        startWriter: (options) => {
          const writer = start(options)
          writers.push(writer)
          return writer
        },
      })
    return { way, open }
  }

  async stop(): Promise<void> {
    if (this.#isLocked) this.#neighbour.exec('ROLLBACK')
    this.#neighbour.close()
    this.#eye.close()
    await rm(this.#directory, { recursive: true, force: true })
  }

  #take(): void {
    const mirror = this.#mirror
    if (!mirror) return
    const rows = this.#eye
      .prepare('SELECT revision, key, create_revision, value FROM log WHERE revision > ? ORDER BY revision')
      .all(mirror.revision)
    mirror.take(rows.map(toChange))
  }

  /** Another process writes for a while: a backup, a shell. Everybody else has to wait. */
  #lock(forMs: number): void {
    const { simulation, history } = this.#world ?? notFollowed()
    if (this.#isLocked) return
    try {
      this.#neighbour.exec('BEGIN IMMEDIATE')
    } catch {
      // Another server writes at this very moment.
      return
    }
    this.#isLocked = true
    count(history.counts, 'store fault: locked')
    simulation.clock.after(forMs, () => {
      this.#isLocked = false
      this.#neighbour.exec('ROLLBACK')
    })
  }

  /** As a server does it now and then, through an adapter of its own. */
  async #compact(revision: number): Promise<void> {
    const { signal } = new AbortController()
    const world = { clock: nodeClock, random: createNodeRandom(), log: silentLog }
    const store = await createSqliteStore({ path: this.#path, ...world })
    try {
      await store.compact(revision, signal)
    } finally {
      await store.close()
    }
  }
}

const nameOf = (what: number): string =>
  Object.entries(strike).find(([, each]) => each === what)?.[0] ?? 'none'

function toChange(row: Readonly<Record<string, unknown>>): Change {
  const {
    revision,
    key,
    create_revision: createRevision,
    value,
  } = row as {
    revision: number
    key: string
    create_revision: number
    value: Uint8Array
  }
  if (createRevision === 0) return { kind: 'delete', key, revision }
  return { kind: 'put', key, revision, createRevision, value }
}

function notFollowed(): never {
  throw new Error('the file belongs to no world yet')
}
