import { groupResourceText } from '@strata/api'
import type { DiscoveredResource } from '@strata/client'
import {
  isAbandoned,
  type MigrationResult,
  type MigrationTarget,
  migrate,
  observeListeners,
  resumeOfStatus,
  Stillness,
  type TargetDecision,
  targetText,
} from '@strata/controllers'
import { deadline, silentLog, sleep } from '@strata/world'
import type { CliContext } from '../context.ts'
import type { Cluster } from './cluster.ts'
import { observeControllers } from './controllers-alive.ts'
import { decideRole } from './decide-role.ts'
import { type MigrationReport, reportOfRecord, reportOfResult, reportOfTarget } from './migration-report.ts'
import { holdText, type MigrationView } from './migration-view.ts'
import { observeEvidence } from './observe-evidence.ts'
import type { HeldRecord, RecordState, RecordStore } from './record.ts'
import { RunRecord } from './run-record.ts'
import { shownReport, shownStatus } from './shown-progress.ts'

export interface MigrateOptions {
  readonly parallelism: number
  readonly pageSize: number
  readonly agreementTimeoutMs: number
  readonly takeOver: boolean
  readonly dryRun: boolean
  /** Each object by a request of its own, even where the servers would rewrite them next to the data. */
  readonly throughApi: boolean
}

const lookEveryMs = 1_000
/** After Ctrl-C, writes that are under way may end. */
const stopMs = 5_000
const lastWordsMs = 10_000

/** Brings one resource to what its servers agree on, here or by watching whoever is at it already. */
export async function migrateResource(
  cluster: Cluster,
  resource: DiscoveredResource,
  options: MigrateOptions,
  view: MigrationView,
  context: CliContext,
): Promise<MigrationReport> {
  const run = new ResourceMigration(cluster, resource, options, view, context)
  try {
    return await run.run()
  } finally {
    view.clear()
  }
}

class ResourceMigration {
  readonly #cluster: Cluster
  readonly #resource: DiscoveredResource
  readonly #options: MigrateOptions
  readonly #view: MigrationView
  readonly #context: CliContext
  readonly #name: string
  readonly #startMs: number

  constructor(
    cluster: Cluster,
    resource: DiscoveredResource,
    options: MigrateOptions,
    view: MigrationView,
    context: CliContext,
  ) {
    this.#cluster = cluster
    this.#resource = resource
    this.#options = options
    this.#view = view
    this.#context = context
    this.#name = groupResourceText(resource)
    this.#startMs = context.world.clock.monotonicMs()
  }

  async run(): Promise<MigrationReport> {
    const decision = await this.#untilAgreed()
    if (!decision.agreed) {
      const outcome = this.#context.signal.aborted ? 'paused' : 'aborted'
      return reportOfTarget(this.#resource, undefined, {
        outcome,
        proof: 'unknown',
        because: decision.because,
      })
    }
    const { target } = decision
    if (this.#options.dryRun) return this.#rehearse(target)
    const clean = await this.#alreadyClean()
    if (clean) return clean
    const records = await this.#cluster.records(this.#resource)
    const place = await this.#findPlace(records, target)
    return 'report' in place ? place.report : this.#migrate(records, place.held, target)
  }

  /** A definition that was changed a moment ago is on its way to all servers. */
  async #untilAgreed(): Promise<TargetDecision> {
    const { clock } = this.#context.world
    const endMs = clock.monotonicMs() + this.#options.agreementTimeoutMs
    for (;;) {
      const decision = await this.#look((signal) => this.#cluster.observe(this.#resource, signal))
      if (decision.agreed || clock.monotonicMs() >= endMs || this.#context.signal.aborted) return decision
      this.#view.wait(this.#name, `waiting for the servers to agree: ${decision.because}`)
      await this.#pause()
    }
  }

  /** Where the store can be read, nothing is written that need not be. */
  async #alreadyClean(): Promise<MigrationReport | undefined> {
    if (!this.#cluster.isStrata) return undefined
    const evidence = await this.#look((signal) => observeEvidence(this.#cluster, this.#resource, signal))
    const { verdict, because, census, target } = evidence
    if (verdict !== 'proven' || census === undefined) return undefined
    const alreadyCurrent = { total: census.total, alreadyCurrent: census.total }
    const end = { outcome: 'succeeded', proof: 'proven', because } as const
    return reportOfTarget(this.#resource, target, end, alreadyCurrent)
  }

  /** Until it is ours, or over. */
  async #findPlace(
    records: RecordStore,
    target: MigrationTarget,
  ): Promise<{ readonly held: HeldRecord } | { readonly report: MigrationReport }> {
    const { world, signal } = this.#context
    const still = new Stillness(world.clock)
    const controllers = observeControllers(this.#cluster.client, world.clock)
    let followed: RecordState | undefined
    let told = ''
    for (;;) {
      if (signal.aborted) return { report: this.#stopped(followed) }
      const open = await this.#look((each) => records.readOpen(each))
      if (followed && open?.id !== followed.id) {
        const id = followed.id
        const over = await this.#look((each) => records.readById(id, each))
        return { report: reportOfRecord(this.#resource, over ?? followed, over === undefined) }
      }
      const silentForMs = open ? still.unmovedForMs(open.id, open.mark) : 0
      const role = decideRole({
        open: open && {
          claim: claimOf(open, world.processes, silentForMs),
          isPaused: open.isPaused,
          silentForMs,
        },
        controllers: await this.#look((each) => controllers(each)),
        takeOver: this.#options.takeOver,
      })
      if (role.do === 'run') {
        const held = await this.#look((each) => records.claim(open, target, each))
        if (held) {
          if (open) this.#view.note(this.#name, `going on with ${held.where}: ${role.because}`)
          return { held }
        }
        continue
      }
      followed = open
      if (open && role.because !== told) {
        this.#view.note(this.#name, `following ${open.where}: ${role.because}`)
        told = role.because
      }
      if (open) this.#view.progress(this.#name, shownStatus(open.progress))
      await this.#pause()
    }
  }

  async #migrate(records: RecordStore, held: HeldRecord, target: MigrationTarget): Promise<MigrationReport> {
    const { world, signal } = this.#context
    const log = this.#log
    const record = new RunRecord(held, { clock: world.clock, log })
    const hard = hardStop(world.clock, signal)
    this.#view.note(this.#name, `to ${targetText(target)}; written down in ${held.where}`)
    const nextToData = await this.#mayWorkNextToData()
    record.start()
    try {
      const resume = resumeOfStatus(this.#resource, held.progress)
      const result = await migrate({
        ...{ world: { ...world, log }, client: this.#cluster.client, target },
        ...(resume === undefined ? {} : { resume }),
        nextToData,
        observe: (each) => this.#cluster.observe(this.#resource, each),
        limits: limitsOf(this.#options),
        control: () => wantedOf(signal, record),
        onProgress: (report) => {
          record.note(report)
          this.#view.progress(this.#name, shownReport(report.progress))
        },
        onHold: (leftMs) => this.#view.wait(this.#name, holdText(leftMs)),
        signal: hard.signal,
      })
      await record.stop()
      record.note(result)
      const lost = record.lost
      const isOurs = lost === undefined || lost === 'paused'
      const end = lost === undefined ? inOurWords(result) : { ...result, ...lostText(lost) }
      const isOver = ['succeeded', 'incomplete', 'aborted'].includes(end.outcome)
      if (isOurs) {
        await this.#lastWords((each) =>
          isOver ? held.finish(end, record.progress, each) : held.release(record.progress, each),
        )
      }
      const handOver = isOver || !isOurs ? undefined : records.handOver(held.where)
      return reportOfResult(this.#resource, end, { where: held.where, handOver, tookMs: this.#tookMs })
    } finally {
      await record.stop()
      hard.dispose()
    }
  }

  /** Not where somebody has asked to be heard before an object is updated: next to the data nobody is. */
  async #mayWorkNextToData(): Promise<boolean> {
    if (this.#options.throughApi || !this.#cluster.isStrata) return false
    const { client } = this.#cluster
    const listeners = await this.#look((signal) => observeListeners(client, this.#resource, signal))
    if (listeners === undefined || listeners.length === 0) return listeners !== undefined
    const who = listeners.join(', ')
    this.#view.note(
      this.#name,
      `each object by a request of its own, for these are asked about updates: ${who}`,
    )
    return false
  }

  async #rehearse(target: MigrationTarget): Promise<MigrationReport> {
    const { world, signal } = this.#context
    const evidence = await this.#look((each) => observeEvidence(this.#cluster, this.#resource, each))
    const result = await migrate({
      ...{ world: { ...world, log: this.#log }, client: this.#cluster.client, target, signal, dryRun: true },
      observe: (each) => this.#cluster.observe(this.#resource, each),
      limits: limitsOf(this.#options),
      onProgress: ({ progress }) => this.#view.progress(this.#name, shownReport(progress)),
    })
    const stale = evidence.census?.stale
    return {
      ...reportOfResult(this.#resource, result, {
        where: undefined,
        handOver: undefined,
        tookMs: this.#tookMs,
      }),
      ...(stale === undefined ? {} : { stale }),
    }
  }

  #stopped(followed: RecordState | undefined): MigrationReport {
    const end = { outcome: 'paused', proof: 'unknown', because: 'it was ended' } as const
    const goesOn = followed ? { ...end, because: `${followed.where} goes on without us` } : end
    return reportOfTarget(this.#resource, undefined, goesOn, followed?.progress)
  }

  /** What went by on the screen stays readable; whoever wants to know more asks for it. */
  get #log() {
    const { environment, world } = this.#context
    return environment['STRATA_LOG_LEVEL'] === 'debug' ? world.log : silentLog
  }

  get #tookMs(): number {
    return this.#context.world.clock.monotonicMs() - this.#startMs
  }

  async #look<T>(look: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = deadline(this.#context.world.clock, 60_000, this.#context.signal)
    try {
      return await look(limit.signal)
    } finally {
      limit.dispose()
    }
  }

  /** Also after Ctrl-C. Should it fail, whoever comes next finds the process gone. */
  async #lastWords(say: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const limit = deadline(this.#context.world.clock, lastWordsMs)
    try {
      await say(limit.signal)
    } catch (error) {
      this.#log.info('the end could not be written down', { error: String(error) })
    } finally {
      limit.dispose()
    }
  }

  async #pause(): Promise<void> {
    await sleep(this.#context.world.clock, lookEveryMs, this.#context.signal).catch(() => {})
  }
}

/** Whoever pressed Ctrl-C has not paused anything. */
function inOurWords(result: MigrationResult): MigrationResult {
  return result.outcome === 'paused' || result.outcome === 'cancelled'
    ? { ...result, outcome: 'paused', because: 'it was stopped' }
    : result
}

function wantedOf(signal: AbortSignal, { lost }: RunRecord): 'run' | 'pause' | 'cancel' {
  if (signal.aborted || lost === 'paused') return 'pause'
  return lost === undefined ? 'run' : 'cancel'
}

type Lost = NonNullable<RunRecord['lost']>

const lostTexts: Readonly<Record<Lost, Pick<MigrationReport, 'outcome' | 'because'>>> = {
  taken: { outcome: 'aborted', because: 'somebody else has taken it over' },
  deleted: { outcome: 'aborted', because: 'it was cancelled' },
  paused: { outcome: 'paused', because: 'it was paused' },
}

const lostText = (lost: Lost) => ({ ...lostTexts[lost], proof: 'unknown' as const })

function claimOf(
  { claim }: RecordState,
  processes: CliContext['world']['processes'],
  silentForMs: number,
): 'none' | 'alive' | 'abandoned' {
  if (claim === undefined) return 'none'
  return isAbandoned(claim, processes, silentForMs) ? 'abandoned' : 'alive'
}

function limitsOf({ parallelism, pageSize }: MigrateOptions) {
  return { maxParallelism: parallelism, startParallelism: Math.min(4, parallelism), pageSize }
}

/** Aborted some time after the parent. */
function hardStop(clock: CliContext['world']['clock'], parent: AbortSignal) {
  const controller = new AbortController()
  let cancel = (): void => {}
  const onParent = (): void => {
    cancel = clock.after(stopMs, () => controller.abort(parent.reason))
  }
  if (parent.aborted) onParent()
  else parent.addEventListener('abort', onParent, { once: true })
  return {
    signal: controller.signal,
    dispose: () => {
      cancel()
      parent.removeEventListener('abort', onParent)
    },
  }
}
