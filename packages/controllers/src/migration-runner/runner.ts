import { type GroupResource, groupResourceText } from '@strata/api'
import { type Client, compareResourceVersions, isAbsence, isConflict, isRequestFailure } from '@strata/client'
import { backoffMs, InvariantBroken, type Log, sleep, type World } from '@strata/world'
import type { Reconciler, Settled, Source } from '../engine/index.ts'
import type { EventRecorder } from '../migration-events/index.ts'
import {
  ChangeTimer,
  type Claim,
  failureMessage,
  isEnded,
  type MigrationView,
  MigrationWriter,
} from '../migration-object/index.ts'
import { type MigrationLimits, TargetAges } from '../migrator/index.ts'
import { ClaimObserver } from './claim-observer.ts'
import { updateCrdStatus } from './crd-status.ts'
import { decidePrune } from './decide-prune.ts'
import { decideSchedule, resourceKey, type Schedule } from './decide-schedule.ts'
import { InvalidPriorities } from './invalid-priorities.ts'
import type { MigrationMetrics } from './migration-metrics.ts'
import { MigrationRun, type RunEnd, type RunMemory } from './migration-run.ts'
import { MigrationWatches } from './migration-watches.ts'
import { pauseMigration, releaseAll } from './pause-migration.ts'
import { acceptedProof, pruneEvidenceOf } from './prune-evidence.ts'
import { resourcesReportedRunning } from './reported-running.ts'

export interface MigrationRunnerOptions {
  readonly world: World
  readonly client: Client
  readonly log: Log
  readonly metrics: MigrationMetrics
  readonly events: Pick<EventRecorder, 'record' | 'end'>
  /** Who we are: unique to this term. */
  readonly claim: Claim
  /** How many migrations run side by side. */
  readonly atOnce?: number
  /** After how long migrations that came to an end are deleted; left out: never. */
  readonly ttlMs?: number
  readonly limits?: Partial<MigrationLimits>
  readonly nextToData?: boolean
}

interface Memory extends RunMemory {
  notBeforeMs: number
  errors: number
  /** As our own last write left it: the watch may not have told of that yet. */
  written?: MigrationView
}

interface Task {
  /** Of the migration that it sees to; there is none where a definition is mended. */
  readonly writer?: MigrationWriter
  readonly isRun: boolean
  readonly ended: Promise<void>
}

const atOnceDefault = 5
const afterError = { firstMs: 1_000, maxMs: 60_000, attempts: 0 }
const everything = 'migrations'
const fieldManager = 'strata-migration-runner'

/**
 * Sees to all migrations: which one runs, which waits, which is over. There is one thing to look at, everything there is,
 * because whose turn it is depends on all the others. What takes time is done beside it, one task per resource.
 */
export class MigrationRunner implements Source, Reconciler {
  readonly #options: MigrationRunnerOptions
  readonly #watches: MigrationWatches
  readonly #tasks = new Map<string, Task>()
  readonly #memories = new Map<string, Memory>()
  readonly #stop = new AbortController()
  readonly #claims: ClaimObserver
  readonly #unread: InvalidPriorities
  #enqueue: (key: string) => void = () => {}
  #fatal: { readonly error: unknown } | undefined

  constructor(options: MigrationRunnerOptions) {
    const { world, client, log, claim, events } = options
    this.#options = options
    this.#unread = new InvalidPriorities((view, event) => events.record(view, event))
    const stillness = new ChangeTimer(world.clock)
    this.#claims = new ClaimObserver({
      ...{ claim, processes: world.processes, stillness },
      isStrata: () => this.#watches.isStrata,
    })
    this.#watches = new MigrationWatches({
      world: { ...world, log },
      client,
      onChange: (uid, view) => this.#observe(uid, view),
    })
  }

  subscribe(enqueue: (key: string) => void): () => void {
    this.#enqueue = enqueue
    enqueue(everything)
    return () => {
      this.#enqueue = () => {}
    }
  }

  whenSynced(signal: AbortSignal): Promise<void> {
    return this.#watches.whenSynced(signal)
  }

  /** Until the signal is aborted and nothing is under way any more. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#stop.abort(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    const mended = this.#correctCrds().catch((error: unknown) => this.#end(error))
    try {
      await this.#watches.run(signal)
    } finally {
      signal.removeEventListener('abort', stop)
      stop()
      await mended
      await Promise.all([...this.#tasks.values()].map(({ ended }) => ended))
      await releaseAll(this.#newest(), (view) => this.#writerOf(view), this.#options)
      await this.#options.events.end()
    }
  }

  async reconcile(_: string, signal: AbortSignal): Promise<Settled> {
    if (this.#fatal) throw this.#fatal.error
    const schedule = this.#decide()
    for (const view of schedule.run) this.#start(view, true, (writer, memory) => this.#run(writer, memory))
    for (const view of schedule.pause) this.#start(view, false, (writer) => this.#pause(writer))
    for (const view of schedule.cancel) this.#start(view, false, (writer) => this.#cancel(writer))
    for (const view of schedule.tidy) this.#start(view, false, (writer) => this.#tidy(writer))
    for (const view of schedule.remove) await this.#remove(view, signal)
    const { lookAgainMs } = schedule
    return lookAgainMs === undefined ? undefined : { lookAgainMs: Math.min(lookAgainMs, 3_600_000) }
  }

  /**
   * Tells definitions that say that a migration runs, and of which none does, that it does not: it was deleted while nobody
   * looked. Upstream leaves them so for ever. Once: afterwards whatever ends tells its definition itself. Beside everything
   * else. Otherwise: one definition can be read by nobody, the list is refused each time, and nothing is ever migrated.
   */
  async #correctCrds(): Promise<void> {
    const { client, world, log } = this.#options
    const { signal } = this.#stop
    await this.#watches.whenSynced(signal)
    for (let failures = 0; ; failures++) {
      try {
        for (const resource of await resourcesReportedRunning(client, signal)) this.#correctCrd(resource)
        return
      } catch (error) {
        if (signal.aborted || !isRequestFailure(error)) throw error
        log.warn('listing CRDs failed; retrying', { error: String(error) })
      }
      await sleep(world.clock, backoffMs(afterError, failures), signal)
    }
  }

  /** While it is told, no migration of it begins. */
  #correctCrd(resource: GroupResource): void {
    const key = resourceKey({ resource })
    // One that still says that it runs is tidied up after by whoever ended it, or later by us.
    const isOpen = this.#newest().some(
      (each) => resourceKey(each) === key && (!isEnded(each) || each.saysRunning),
    )
    if (isOpen || this.#tasks.has(key)) return
    const { client, world, log } = this.#options
    const definition = groupResourceText(resource)
    log.info('a CRD says that a migration runs, but none does; correcting it', { definition })
    this.#begin(key, { isRun: false }, async () => {
      const say = () => ({ kind: 'failed' }) as const
      await updateCrdStatus({ client, world, log, resource }, say, this.#stop.signal).catch(
        (error: unknown) => this.#end(error),
      )
    })
  }

  #newest(): readonly MigrationView[] {
    return this.#watches.views.map((each) => newerOf(each, this.#memories.get(each.uid)?.written))
  }

  #decide(): Schedule {
    const { world, atOnce = atOnceDefault, ttlMs } = this.#options
    const migrations = this.#newest()
    this.#claims.look(migrations)
    this.#unread.look(migrations)
    const nowMs = world.clock.monotonicMs()
    this.#forget(migrations)
    return decideSchedule({
      migrations,
      busy: new Set(this.#tasks.keys()),
      room: atOnce - [...this.#tasks.values()].filter(({ isRun }) => isRun).length,
      waitMs: (uid) => (this.#memories.get(uid)?.notBeforeMs ?? 0) - nowMs,
      tidyAfterMs: (each) => this.#claims.tidyAfterMs(each),
      claimOf: (each) => this.#claims.decide(each),
      endedForMs: ({ conditions, phase }) => {
        const type = phase === 'succeeded' ? 'Succeeded' : 'Failed'
        const condition = conditions.find((each) => each.type === type)
        const atMs = Date.parse(condition?.lastTransitionTime ?? condition?.lastUpdateTime ?? '')
        return Number.isNaN(atMs) ? undefined : world.clock.wallMs() - atMs
      },
      ttlMs,
    })
  }

  #forget(migrations: readonly MigrationView[]): void {
    const there = new Set(migrations.map(({ uid }) => uid))
    for (const uid of this.#memories.keys()) if (!there.has(uid)) this.#memories.delete(uid)
  }

  #memoryOf(uid: string): Memory {
    const there = this.#memories.get(uid)
    if (there) return there
    const standing = new TargetAges(this.#options.world.clock)
    const memory: Memory = { failures: 0, errors: 0, notBeforeMs: 0, standing }
    this.#memories.set(uid, memory)
    return memory
  }

  #start(
    view: MigrationView,
    isRun: boolean,
    work: (writer: MigrationWriter, memory: Memory) => Promise<RunEnd>,
  ): void {
    const { world } = this.#options
    const writer = this.#writerOf(view)
    if (!writer || this.#stop.signal.aborted) return
    const memory = this.#memoryOf(view.uid)
    const key = resourceKey(view)
    const task = async (): Promise<void> => {
      try {
        const end = await work(writer, memory)
        memory.errors = 0
        if (end) memory.notBeforeMs = world.clock.monotonicMs() + end.afterMs
      } catch (error) {
        this.#notice(view, memory, error)
      } finally {
        memory.written = writer.view
      }
    }
    this.#begin(key, { writer, isRun }, task)
  }

  #begin(key: string, about: Omit<Task, 'ended'>, work: () => Promise<void>): void {
    // In its own turn, so that it is in the table before it can end.
    const begun = Promise.withResolvers<void>()
    const ended = begun.promise.then(work).finally(() => {
      this.#tasks.delete(key)
      this.#enqueue(everything)
    })
    this.#tasks.set(key, { ...about, ended })
    begun.resolve()
  }

  /** Thrown by the next look, and ends the process. */
  #end(error: unknown): void {
    if (this.#stop.signal.aborted) return
    this.#fatal = { error }
    this.#enqueue(everything)
  }

  #writerOf(view: MigrationView): MigrationWriter | undefined {
    const { world, claim } = this.#options
    const migrations = this.#watches.clientOf(view.group)
    // One that was cancelled is ended, whoever has it.
    const mayTake = (each: MigrationView): boolean =>
      each.isCancelled || this.#claims.decide(each).do === 'take'
    if (migrations === undefined) return undefined
    const { clock } = world
    return new MigrationWriter({ clock, migrations, view, claim, mayTake, isWatched: true, fieldManager })
  }

  #notice(view: MigrationView, memory: Memory, error: unknown): void {
    const { world, log } = this.#options
    if (error instanceof InvariantBroken) {
      this.#end(error)
      return
    }
    if (this.#stop.signal.aborted) return
    const afterMs = backoffMs(afterError, memory.errors++)
    memory.notBeforeMs = world.clock.monotonicMs() + afterMs
    log.warn('migration interrupted; retrying', {
      ...{ migration: view.name, group: view.group, afterMs, error: String(error) },
    })
  }

  #run(writer: MigrationWriter, memory: Memory): Promise<RunEnd> {
    const { world, client, log, metrics, limits, nextToData = true } = this.#options
    const { name, resource } = writer.view
    return new MigrationRun({
      ...{ world, client, writer, memory, metrics, nextToData, signal: this.#stop.signal },
      isContested: async (each) => this.#claims.isContested(writer.view, await this.#watches.list(each)),
      ...(limits ? { limits } : {}),
      recordEvent: (event) => this.#options.events.record(writer.view, event),
      log: log.with({ migration: name, resource: resource.resource, group: resource.group }),
    }).run()
  }

  async #pause(writer: MigrationWriter): Promise<RunEnd> {
    const { signal } = this.#stop
    if ((await writer.claim(signal)) !== 'written') return undefined
    await pauseMigration(writer, signal)
    this.#options.events.record(writer.view, { kind: 'paused' })
    return undefined
  }

  /** Of one that nobody runs: it is told the same as if it had been stopped. */
  async #cancel(writer: MigrationWriter): Promise<RunEnd> {
    const { signal } = this.#stop
    if ((await writer.claim(signal)) !== 'written') return undefined
    if (writer.view.saysRunning) await this.#updateCrd(writer.view, { kind: 'failed' })
    const message = failureMessage('it was cancelled')
    const stage = { kind: 'failed', failure: 'Aborted', message } as const
    await writer.write({ stage }, signal)
    if (writer.view.phase !== 'failed') return undefined
    this.#options.metrics.end(writer.view.resource, 'Failed')
    this.#options.events.record(writer.view, stage)
    return undefined
  }

  /**
   * Of one that has ended, and was told so by somebody who then had no time for the rest. Upstream's own migrator notes
   * neither what it has proven nor which state of the definition it saw, so that a success of its own prunes nothing here,
   * whatever somebody has accepted: what it means to prune it prunes itself.
   */
  async #tidy(writer: MigrationWriter): Promise<RunEnd> {
    const { view } = writer
    if (view.phase === 'failed') await this.#updateCrd(view, { kind: 'failed' })
    else {
      const evidence = pruneEvidenceOf({ ...view.progress, conditions: view.conditions })
      await this.#updateCrd(view, (definition) => {
        const accept = acceptedProof(view.annotations, definition.metadata.annotations)
        return { kind: 'succeeded', prune: decidePrune({ definition, evidence, accept }) }
      })
    }
    await writer.write({ stage: { kind: 'over' } }, this.#stop.signal)
    return undefined
  }

  async #remove({ group, name, uid, resourceVersion }: MigrationView, signal: AbortSignal): Promise<void> {
    const { log } = this.#options
    const migrations = this.#watches.clientOf(group)
    if (!migrations) return
    try {
      await migrations.delete({ name }, { preconditions: { uid, resourceVersion } }, signal)
      log.info('deleted an ended migration', { migration: name, group })
    } catch (error) {
      if (!isConflict(error) && !isAbsence(error, migrations.address, name)) throw error
    }
  }

  #updateCrd(
    { resource }: MigrationView,
    stage: Parameters<typeof updateCrdStatus>[1] | ReturnType<Parameters<typeof updateCrdStatus>[1]>,
  ): Promise<string | undefined> {
    const { client, world, log } = this.#options
    const say = typeof stage === 'function' ? stage : () => stage
    return updateCrdStatus({ client, world, log, resource }, say, this.#stop.signal)
  }

  #observe(uid: string, view: MigrationView | undefined): void {
    for (const { writer } of this.#tasks.values()) if (writer?.view.uid === uid) writer.observe(view)
    this.#enqueue(everything)
  }
}

/**
 * Otherwise: a migration is told that it has succeeded, the watch still shows it as running, and it is begun once more.
 */
function newerOf(told: MigrationView, written: MigrationView | undefined): MigrationView {
  if (written === undefined) return told
  return (compareResourceVersions(written.resourceVersion, told.resourceVersion) ?? 0) > 0 ? written : told
}
