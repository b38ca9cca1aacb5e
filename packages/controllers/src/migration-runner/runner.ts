import { type GroupResource, groupResourceText } from '@strata/api'
import { type Client, compareResourceVersions, isAbsence, isConflict, isRequestFailure } from '@strata/client'
import { type Claim, isEnded, type MigrationView } from '@strata/insight'
import { backoffMs, InvariantBroken, type Log, sleep, type World } from '@strata/world'
import type { Reconciler, Settled, Source } from '../engine/index.ts'
import type { EventRecorder } from '../migration-events/index.ts'
import { ChangeTimer, failureMessage, MigrationWriter } from '../migration-object/index.ts'
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
  /** The claim of this process, unique to its term as leader. */
  readonly claim: Claim
  /** How many migrations run at once. */
  readonly atOnce?: number | undefined
  /** Ended migrations are deleted after this time; left out: never. */
  readonly ttlMs?: number | undefined
  readonly limits?: Partial<MigrationLimits> | undefined
  readonly nextToData?: boolean | undefined
}

interface Memory extends RunMemory {
  notBeforeMs: number
  errors: number
  /** The result of our own last write: the watch may not have reported it yet. */
  written?: MigrationView
}

interface Task {
  /** Undefined for a task that corrects the status of a CRD. */
  readonly writer?: MigrationWriter
  readonly isRun: boolean
  readonly ended: Promise<void>
}

const atOnceDefault = 5
const afterError = { firstMs: 1_000, maxMs: 60_000, attempts: 0 }
const everything = 'migrations'
const fieldManager = 'strata-migration-runner'

/**
 * Runs all migrations. There is one key to reconcile, because the order of migrations depends on all of them. Long work
 * runs in background tasks, one per resource.
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

  /** Returns when the signal is aborted and all tasks have ended. */
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
   * Corrects CRDs whose status says that a migration runs, though none does: it was deleted while no runner was there.
   * Upstream leaves them so. Done once: afterwards each run updates its CRD when it ends. In the background: one CRD that
   * cannot be decoded fails the list each time, and would keep all migrations from starting.
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

  /** No migration of the resource starts meanwhile. */
  #correctCrd(resource: GroupResource): void {
    const key = resourceKey({ resource })
    // An ended migration whose Running condition is still True: its migrator corrects it, or #tidy does later.
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
    // Starts after the task is in the table, so that it cannot end before.
    const begun = Promise.withResolvers<void>()
    const ended = begun.promise.then(work).finally(() => {
      this.#tasks.delete(key)
      this.#enqueue(everything)
    })
    this.#tasks.set(key, { ...about, ended })
    begun.resolve()
  }

  /** The next reconcile throws it, which ends the process. */
  #end(error: unknown): void {
    if (this.#stop.signal.aborted) return
    this.#fatal = { error }
    this.#enqueue(everything)
  }

  #writerOf(view: MigrationView): MigrationWriter | undefined {
    const { world, claim } = this.#options
    const migrations = this.#watches.clientOf(view.group)
    // A cancelled migration is ended, whichever process holds it.
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
      ...{ world, client, writer, memory, metrics, limits, nextToData, signal: this.#stop.signal },
      isContested: async (each) => this.#claims.isContested(writer.view, await this.#watches.list(each)),
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

  /** Ends a cancelled migration that no process runs, as a run would end it. */
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
   * Completes an ended migration whose process stopped before it had updated the CRD and the Running condition. Upstream's
   * migrator stores neither a proof nor the generation of the CRD. So its success prunes nothing here, even if any proof is
   * accepted: it prunes by itself.
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
 * The newer of the two. Otherwise: the runner writes that a migration has succeeded, the watch still shows it as running,
 * and the runner starts it again.
 */
function newerOf(seen: MigrationView, written: MigrationView | undefined): MigrationView {
  if (written === undefined) return seen
  return (compareResourceVersions(written.resourceVersion, seen.resourceVersion) ?? 0) > 0 ? written : seen
}
