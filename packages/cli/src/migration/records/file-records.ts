import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { type GroupResource, groupResourceText, type MigrationProgress } from '@strata/api'
import type { Claim } from '@strata/insight'
import { sleep, timestamp, uuid, type World } from '@strata/world'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { lockFile } from '../../process/process-lock.ts'
import { withoutSetAside } from '../repair/without-set-aside.ts'
import type { HeldRecord, RecordEnd, RecordState, RecordStore, SaveOutcome } from './record.ts'

export interface FileRecordsOptions {
  /** Holds the records of one cluster. */
  readonly directory: string
  readonly resource: GroupResource
  readonly world: Pick<World, 'clock' | 'random' | 'processes'>
}

/** What this user keeps on this machine about a cluster: migrations, CRDs before an upgrade, bytes of deleted objects. */
export type StateKind = 'migrations' | 'crds' | 'objects'

/** Where that is kept, as the user's other programs do it. */
export function stateDirectory(
  environment: Readonly<Record<string, string | undefined>>,
  cluster: string,
  kind: StateKind = 'migrations',
): string {
  const home = environment['HOME'] || homedir()
  const base = environment['XDG_STATE_HOME'] || join(home, '.local', 'state')
  return join(base, 'strata', kind, cluster.replaceAll(/[^\w.-]+/g, '_'))
}

/** What is kept of the migration of a resource: the open one, or the last. */
export interface Kept {
  readonly id: string
  readonly writes: number
  readonly claim?: Claim
  readonly isPaused?: boolean
  /** Why the process that ran the migration paused it. */
  readonly failure?: string | undefined
  readonly end?: RecordEnd & { readonly at: string }
  readonly progress: MigrationProgress
}

/** Long enough for others to write a small file, on a slow disk too. */
const lockTries = 100
const lockPauseMs = 20

/** Where the record of one resource is: a file, or the memory of this process. */
export interface RecordPlace {
  readonly world: FileRecordsOptions['world']
  /** Its name for people. */
  readonly where: string
  /** Why the record ends with this process; absent if it does not. */
  readonly unkept?: string
  read(): Kept | undefined
  /** Returns the content that it wrote; undefined if `decide` wants no change. */
  change(decide: (now: Kept | undefined) => Kept | undefined, signal: AbortSignal): Promise<Kept | undefined>
}

/**
 * A file per resource, for clusters that have no kind for it, or have a migrator of their own that would take such an
 * object for an order. Read and written whole, under a lock that is held for a moment.
 */
export function createFileRecords({ directory, resource, world }: FileRecordsOptions): RecordStore {
  const path = join(directory, `${groupResourceText(resource)}.json`)
  return recordsAt(new RecordFile(path, world), resource)
}

export function recordsAt(file: RecordPlace, resource: GroupResource): RecordStore {
  const { world, where } = file
  return {
    readOpen: async () => {
      const kept = file.read()
      return kept === undefined || kept.end ? undefined : stateOf(kept, where)
    },
    readById: async (id) => {
      const kept = file.read()
      return kept?.id === id ? stateOf(kept, where) : undefined
    },
    readPast: async () => {
      const kept = file.read()
      if (kept?.end === undefined) return []
      const { target, quarantined = 0 } = kept.progress
      const { outcome, proof, at } = kept.end
      const bound = target && { ...target, fenced: target.fenced ?? false, resource }
      return [
        {
          where: 'strata migrate',
          at,
          succeeded: outcome === 'succeeded',
          proof,
          quarantined,
          target: bound,
        },
      ]
    },
    readLatest: async () => {
      const kept = file.read()
      return kept && stateOf(kept, where)
    },
    takeOff: async (ended, objects, signal) => {
      const changed = await file.change((now) => {
        if (now?.id !== ended.id || String(now.writes) !== ended.mark || !now.end) return undefined
        const progress = withoutSetAside(now.progress, objects)
        return progress && { ...now, progress }
      }, signal)
      return changed !== undefined
    },
    claim: async (open, _target, signal) => {
      const { self, hostname } = world.processes
      const claim: Claim = { by: 'command', ...self, hostname, id: uuid(world.random) }
      const taken = await file.change((now) => {
        const seen = now === undefined || now.end ? undefined : now
        if (seen === undefined ? open !== undefined : String(seen.writes) !== open?.mark) return undefined
        if (seen === undefined) return { id: uuid(world.random), writes: 0, claim, progress: {} }
        const { failure: _, ...rest } = seen
        return { ...rest, claim, isPaused: false }
      }, signal)
      return taken && new HeldFile(file, taken, claim)
    },
    endCancelled: async () => false,
    request: async () => undefined,
    handOver: () => undefined,
  }
}

function stateOf({ id, writes, claim, isPaused = false, ...kept }: Kept, where: string): RecordState {
  const { failure, end, progress } = kept
  return {
    where,
    id,
    mark: String(writes),
    claim,
    isForeign: false,
    isPaused,
    failure,
    isCancelled: false,
    end,
    progress,
  }
}

class RecordFile implements RecordPlace {
  readonly world: FileRecordsOptions['world']
  readonly where: string
  readonly #path: string

  constructor(path: string, world: FileRecordsOptions['world']) {
    this.#path = path
    this.where = path
    this.world = world
  }

  read(): Kept | undefined {
    try {
      const kept: Partial<Kept> | null = JSON.parse(readFileSync(this.#path, 'utf8'))
      return typeof kept?.id === 'string' && kept.progress ? (kept as Kept) : undefined
    } catch (error) {
      // A file that is no JSON is written anew.
      if (error instanceof SyntaxError || (error as { code?: string }).code === 'ENOENT') return undefined
      throw new CliError(
        `${this.#path} cannot be read (${(error as { code?: string }).code})`,
        exitCodes.notSeen,
      )
    }
  }

  async change(
    decide: (now: Kept | undefined) => Kept | undefined,
    signal: AbortSignal,
  ): Promise<Kept | undefined> {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 })
    const path = `${this.#path}.lock`
    let holder: number | undefined
    for (let tries = 0; tries < lockTries; tries++) {
      const lock = lockFile(path, this.world.processes)
      if (lock.kind === 'no lock')
        throw new CliError(`${path} is not a lock file of strata: remove it`, exitCodes.notSeen)
      if (lock.kind === 'busy') {
        holder = lock.holder.pid
        await sleep(this.world.clock, lockPauseMs, signal)
        continue
      }
      try {
        const next = decide(this.read())
        if (next === undefined) return undefined
        const written = { ...next, writes: next.writes + 1 }
        this.#write(written)
        return written
      } finally {
        lock.release()
      }
    }
    const who = holder === undefined ? 'another process' : `process ${holder}`
    throw new CliError(
      `${path} is held by ${who}, which does not release it: end that process and try again`,
      exitCodes.notSeen,
    )
  }

  /** Under another name first: a file that ends in the middle would lose the place to go on from. */
  #write(kept: Kept): void {
    const aside = `${this.#path}.new`
    try {
      writeFileSync(aside, `${JSON.stringify(kept, undefined, 2)}\n`, { mode: 0o600, flush: true })
      renameSync(aside, this.#path)
    } finally {
      rmSync(aside, { force: true })
    }
  }
}

class HeldFile implements HeldRecord {
  readonly where: string
  readonly unkept?: string
  readonly progress: MigrationProgress
  readonly #file: RecordPlace
  readonly #id: string
  readonly #claim: Claim

  constructor(file: RecordPlace, kept: Kept, claim: Claim) {
    this.where = file.where
    if (file.unkept !== undefined) this.unkept = file.unkept
    this.progress = kept.progress
    this.#file = file
    this.#id = kept.id
    this.#claim = claim
  }

  save: HeldRecord['save'] = (progress, signal) => this.#change((kept) => ({ ...kept, progress }), signal)

  renew: HeldRecord['renew'] = (signal) => this.#change((kept) => kept, signal)

  finish: HeldRecord['finish'] = (end, progress, signal) => {
    const at = timestamp(this.#file.world.clock)
    return this.#change(({ claim: _, ...kept }) => ({ ...kept, progress, end: { ...end, at } }), signal)
  }

  release: HeldRecord['release'] = (progress, failure, signal) =>
    this.#change(({ claim: _, ...kept }) => ({ ...kept, progress, isPaused: true, failure }), signal)

  async #change(change: (kept: Kept) => Kept, signal: AbortSignal): Promise<SaveOutcome> {
    let outcome: SaveOutcome = 'saved'
    await this.#file.change((now) => {
      if (now === undefined || now.id !== this.#id || now.end) outcome = 'deleted'
      else if (now.claim?.id !== this.#claim.id) outcome = 'taken'
      return outcome === 'saved' && now ? change(now) : undefined
    }, signal)
    return outcome
  }
}
