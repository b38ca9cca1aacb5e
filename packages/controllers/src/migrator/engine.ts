import { looseSettledMs, type StorageCensusStatus } from '@strata/api'
import { type Client, isNotOffered, isTimeout, retryAfterMs } from '@strata/client'
import { deadline, type Log, sleep, type World } from '@strata/world'
import { BulkSource, type BulkSourceOptions } from './pass/bulk-source.ts'
import { retryLimits } from './pass/decide-retry.ts'
import { type ObjectPart, type ObjectSource, PageSource } from './pass/page-source.ts'
import { parallelismLimits, startParallelism } from './pass/parallelism.ts'
import { Pass, type PassLimits } from './pass/pass.ts'
import type { RequestBudget } from './pass/request-budget.ts'
import { Rewriter } from './pass/rewriter.ts'
import { StallDetector } from './pass/stall-detector.ts'
import { type Conclusion, decideResult, lacksCensus, needsAnotherPass } from './progress/decide-result.ts'
import { type Control, Halt, type PassEnd } from './progress/halt.ts'
import { emptyLedger, Ledger, type LedgerState } from './progress/ledger.ts'
import type { Progress } from './progress/progress.ts'
import { type ProgressReport, Reporter } from './progress/progress-reporter.ts'
import type { Quarantined } from './progress/quarantine.ts'
import { decideResume, isBegun, type ResumePoint } from './progress/resume-point.ts'
import { settledOf } from './progress/tally.ts'
import { DataSide } from './target/data-side.ts'
import { type AddressDecision, decideAddress, type MigrationAddress } from './target/decide-address.ts'
import { followStorageVersion } from './target/follow-storage-version.ts'
import { groupOf } from './target/group-of.ts'
import { findDataSide } from './target/origin.ts'
import { isSameEpoch } from './target/same-record.ts'
import type { MigrationTarget, TargetDecision } from './target/target.ts'
import { TargetGuard } from './target/target-guard.ts'

export interface MigrationLimits {
  readonly pageSize: number
  /** How many objects a server examines in one batch, next to the data. */
  readonly batchSize: number
  readonly startParallelism: number
  readonly maxParallelism: number
  /** Failures of one object before it is quarantined. */
  readonly tries: number
  readonly requestTimeoutMs: number
  /** How long nothing at all may succeed before the run ends; it can be resumed. */
  readonly patienceMs: number
  /** How often the target is read during the work. It is also read before each page. */
  readonly targetEveryMs: number
  readonly progressEveryMs: number
  /** How long a target that is not fenced has to stand before the first write (rule 14). */
  readonly unfencedHoldMs: number
  /** Without a fence, passes repeat until one rewrites nothing: at least twice, at most this often. */
  readonly mostPasses: number
}

export const migrationLimits: MigrationLimits = {
  pageSize: 500,
  batchSize: 2_000,
  startParallelism: parallelismLimits.start,
  maxParallelism: parallelismLimits.max,
  tries: retryLimits.tries,
  // Longer than servers wait for a webhook (30 s): they then say which one did not answer.
  requestTimeoutMs: 40_000,
  patienceMs: 600_000,
  targetEveryMs: 5_000,
  progressEveryMs: 1_000,
  unfencedHoldMs: looseSettledMs,
  mostPasses: 4,
}

export interface MigrationOptions {
  readonly world: Pick<World, 'clock' | 'random' | 'log'>
  readonly client: Client
  /** As it was decided; the run is bound to it. */
  readonly target: MigrationTarget
  /** Reads the target again: `observeTarget` with the options it was found with. */
  readonly observe: (signal: AbortSignal) => Promise<TargetDecision>
  /** Where an earlier run of this migration was. */
  readonly resume?: ResumePoint | undefined
  /** How long the caller has seen this very target stand, by its own monotonic clock. */
  readonly stoodForMs?: number
  /** Sends every write as a dry run: nothing is stored. */
  readonly dryRun?: boolean
  readonly limits?: Partial<MigrationLimits> | undefined
  /** Whether to work next to the data where the servers offer it; true by default. */
  readonly nextToData?: boolean
  /** Rewrites only these objects, once. Nothing follows about the others, so nothing is proven. */
  readonly part?: ObjectPart | undefined
  /** Shared by the migrations that run at the same time. */
  readonly budget?: RequestBudget | undefined
  readonly control?: Control
  /** Called first, with the progress that the run resumes from; empty if it starts from the beginning. */
  readonly onBegin?: (progress: Progress) => void
  /** On change, at most once per `progressEveryMs`, and once at the end. */
  readonly onProgress?: (report: ProgressReport) => void
  /** Called for each object that is quarantined, also beyond those that a result lists; again if a list begins anew. */
  readonly onQuarantine?: (object: Quarantined) => void
  /** Once a second, while the first write has to wait (rule 14). */
  readonly onHold?: (leftMs: number) => void
  /** Called after that wait: all servers know the target by then. What it returns ends the run before its first write. */
  readonly beforeWrites?: ((signal: AbortSignal) => Promise<WriteStop | undefined>) | undefined
  readonly signal: AbortSignal
}

/** Why a caller wants nothing to be written. */
export type WriteStop = Extract<PassEnd, { readonly because: string }>

export interface MigrationResult extends Conclusion, ProgressReport {}

/** The shortest timeout of a batch: a server takes a while to rewrite many objects. */
const shortestBulkMs = 60_000
/** The timeout of a census: a little more than servers allow for one. */
const censusTimeoutMs = 630_000

/**
 * Migrates the objects of one resource to one target, through the public API alone, and reports what that proves. It throws only
 * for bugs. A failure of the servers is a result, and the migration can be resumed.
 */
export async function migrate(options: MigrationOptions): Promise<MigrationResult> {
  const halt = new Halt(options.signal, options.control ?? (() => 'run'))
  const run = new Migration(options, halt)
  try {
    return await run.run()
  } finally {
    // Ends the loop that reads the target during the work.
    halt.finish({ kind: 'finished' })
    halt.dispose()
  }
}

class Migration {
  readonly #options: MigrationOptions
  readonly #limits: MigrationLimits
  readonly #halt: Halt
  readonly #guard: TargetGuard
  readonly #target: MigrationTarget
  readonly #log: Log
  readonly #pace
  readonly #standstill: StallDetector
  /** Set if the servers offer to rewrite objects next to the data. */
  #data: DataSide | undefined
  /** A pass through the API has visited every object after the last batch of the servers. */
  #hasLooked = false
  #at: ResumePoint
  #report: ProgressReport

  constructor(options: MigrationOptions, halt: Halt) {
    const { world, client, observe } = options
    this.#options = options
    this.#limits = { ...migrationLimits, ...options.limits }
    this.#halt = halt
    this.#at = decideResume(options.target, options.resume)
    this.#target = this.#at.target
    this.#log = world.log.with({ migration: this.#target.resource })
    this.#pace = { now: startParallelism(this.#passLimits.parallelism) }
    this.#standstill = new StallDetector(world.clock)
    this.#guard = new TargetGuard({
      ...{ world, log: this.#log, target: this.#target, observe, halt },
      ...{ everyMs: this.#limits.targetEveryMs, requestTimeoutMs: this.#limits.requestTimeoutMs },
      patienceMs: Math.min(this.#limits.patienceMs, 60_000),
      history: historyOf(client, this.#target, halt.waits),
    })
    this.#report = this.#reporter(new Ledger(this.#at.ledger)).report()
  }

  async run(): Promise<MigrationResult> {
    const { dryRun = false } = this.#options
    this.#options.onBegin?.(this.#report.progress)
    void this.#guard.watch()
    let end: PassEnd = (await this.#hold()) ?? (await this.#askCaller()) ?? { kind: 'finished' }
    const address = end.kind === 'finished' ? await this.#address() : undefined
    if (address?.kind === 'not migratable') end = { kind: 'failed', because: address.because }
    else if (address === undefined) end = this.#halt.end ?? end
    else end = await this.#passes(address.address, dryRun)
    const census = end.kind === 'finished' && !dryRun ? await this.#count() : undefined
    if (end.kind === 'finished' && address?.kind === 'served' && this.#needsApi(census)) {
      this.#log.info('census failed; checking each object through the API')
      // From here on this run sends no batches. The resume point says that batches were used, until this pass has visited every
      // object.
      this.#at = { ...this.#at, byServers: true }
      this.#data = undefined
      end = await this.#nextPass(address.address, dryRun)
      this.#hasLooked = end.kind === 'finished'
    }
    const stands = end.kind === 'finished' && (dryRun || (await this.#guard.confirm()))
    // The last read may have shown that the target has changed.
    if (end.kind === 'finished' && this.#halt.end) end = this.#halt.end
    const { finished } = this.#at
    const { quarantined } = this.#report.progress
    const byServers = this.#byServers
    const isPart = this.#options.part !== undefined
    const facts = {
      end,
      stands,
      target: this.#target,
      finished,
      quarantined,
      dryRun,
      census,
      byServers,
      isPart,
    }
    return { ...decideResult(facts), ...this.#report }
  }

  /**
   * Whether servers rewrote objects in batches, and no pass through the API has visited them since. Batches of an earlier run
   * count too. Otherwise: batches rewrite everything; the run is killed before the census; a webhook is configured, so the next
   * run may not send batches; it has nothing left to do, and calls the result proven.
   */
  get #byServers(): boolean {
    return !this.#hasLooked && (this.#data?.hasRewritten === true || this.#at.byServers === true)
  }

  #needsApi(census: StorageCensusStatus | undefined): boolean {
    const isAnythingElseLeft = this.#report.progress.quarantined > 0 || (census?.stale ?? 0) > 0
    return !isAnythingElseLeft && lacksCensus({ target: this.#target, byServers: this.#byServers, census })
  }

  /** Rule 14: an unfenced server may write by a view that is a minute old, and its commit may arrive later still. */
  async #hold(): Promise<PassEnd | undefined> {
    const { world, dryRun, stoodForMs = 0, onHold = () => {} } = this.#options
    const { fenced, how } = this.#target
    if (fenced || how === 'unpublished' || dryRun) return undefined
    // An equal hash may have changed and come back a moment ago. The other sources show every change.
    if (isBegun(this.#at) && how !== 'discovery') return undefined
    const leftMs = this.#limits.unfencedHoldMs - stoodForMs
    const endMs = world.clock.monotonicMs() + leftMs
    if (leftMs > 0) this.#log.info('the target is not fenced: waiting before the first write', { leftMs })
    while (!this.#halt.end) {
      const nowMs = world.clock.monotonicMs()
      if (nowMs >= endMs) break
      onHold(endMs - nowMs)
      await sleep(world.clock, Math.min(1_000, endMs - nowMs), this.#halt.waits).catch(() => {})
    }
    return this.#halt.end
  }

  async #askCaller(): Promise<PassEnd | undefined> {
    const { beforeWrites, dryRun = false } = this.#options
    if (!beforeWrites || dryRun) return undefined
    const stop = await beforeWrites(this.#halt.waits)
    return this.#halt.end ?? stop
  }

  /** The version and verb to rewrite with, as served now; they may have changed since the migration was requested. */
  async #address(): Promise<AddressDecision | undefined> {
    const { client, world } = this.#options
    const endMs = world.clock.monotonicMs() + Math.min(this.#limits.patienceMs, 60_000)
    for (;;) {
      try {
        const { resources, failures } = await client.discover(this.#halt.waits)
        const offered = this.#mayBeBulk ? findDataSide(this.#target.resource, resources) : undefined
        this.#data = offered && new DataSide(client, offered)
        const decision = decideAddress(this.#target, resources)
        const isLate = world.clock.monotonicMs() >= endMs
        const mayBeHidden = failures.some(
          ({ groupVersion }) => groupOf(groupVersion) === this.#target.resource.group,
        )
        // A group whose discovery failed may serve it, and a CRD may be a moment old.
        if (decision.kind === 'served' || (isLate && !mayBeHidden)) return decision
        if (isLate) return { kind: 'not migratable', because: `discovery failed: ${failures[0]?.why}` }
      } catch (error) {
        if (this.#halt.end) return undefined
        if (world.clock.monotonicMs() >= endMs) {
          return { kind: 'not migratable', because: `discovery failed: ${String(error)}` }
        }
      }
      if (this.#halt.end) return undefined
      await sleep(world.clock, 1_000, this.#halt.waits).catch(() => {})
    }
  }

  /** Servers rewrite batches only in an epoch of a record: the record guards each of their transactions. */
  get #mayBeBulk(): boolean {
    const { nextToData = true, dryRun = false, part } = this.#options
    if (part) return false
    const { how, epoch, encodingVersion } = this.#target
    return nextToData && !dryRun && how === 'record' && epoch !== undefined && encodingVersion !== undefined
  }

  /** The census after the last pass. Retried until the servers answer, or it is clear that they will not. */
  async #count(): Promise<StorageCensusStatus | undefined> {
    if (!this.#data) return undefined
    const known = this.#data.cleanIn(this.#target)
    if (known) return known
    const { clock } = this.#options.world
    const endMs = clock.monotonicMs() + Math.min(this.#limits.patienceMs, 60_000)
    for (;;) {
      const limit = deadline(clock, censusTimeoutMs, this.#halt.waits)
      try {
        const census = await this.#data.census(this.#target.resource, limit.signal)
        return isSameEpoch(census, this.#target) ? census : undefined
      } catch (error) {
        this.#log.info('census failed', { error: String(error) })
        const isLate = clock.monotonicMs() >= endMs
        if (isLate || isNotOffered(error) || isTimeout(error) || this.#halt.end) return undefined
        await sleep(clock, Math.max(1_000, retryAfterMs(error)), this.#halt.waits).catch(() => {})
      } finally {
        limit.dispose()
      }
    }
  }

  get #bulkTimeoutMs(): number {
    return Math.max(this.#limits.requestTimeoutMs, shortestBulkMs)
  }

  #source(address: MigrationAddress, { continueToken, tally }: LedgerState): ObjectSource {
    const { client, world, part } = this.#options
    const { pageSize, batchSize, requestTimeoutMs, patienceMs } = this.#limits
    const { resource, epoch = 0, encodingVersion = '', recordUID } = this.#target
    const onFailure = (because: string): void => this.#standstill.failed(because)
    const common = { world: { ...world, log: this.#log }, patienceMs, onFailure }
    const through: BulkSourceOptions['through'] = (from) =>
      new PageSource({
        ...common,
        part,
        pageSize,
        requestTimeoutMs,
        objects: client.metadata(address),
        ...from,
      })
    if (!this.#data) return through({ continueToken, listedBefore: settledOf(tally) })
    return new BulkSource({
      ...{ ...common, data: this.#data, batchSize, through, halt: this.#halt, censusTimeoutMs },
      target: { resource, epoch, encodingVersion, recordUID },
      requestTimeoutMs: this.#bulkTimeoutMs,
      continueToken,
      settledBefore: settledOf(tally),
    })
  }

  async #passes(address: MigrationAddress, dryRun: boolean): Promise<PassEnd> {
    const { mostPasses } = this.#limits
    const isPart = this.#options.part !== undefined
    while (needsAnotherPass(this.#target, this.#at.finished, { dryRun, mostPasses, isPart })) {
      const end = await this.#nextPass(address, dryRun)
      if (end.kind !== 'finished') return end
    }
    return { kind: 'finished' }
  }

  async #nextPass(address: MigrationAddress, dryRun: boolean): Promise<PassEnd> {
    const ledger = new Ledger(this.#at.ledger)
    const end = await this.#pass(address, ledger, dryRun)
    if (end.kind === 'finished') {
      this.#at = { ...this.#at, finished: [...this.#at.finished, ledger.tally], ledger: emptyLedger }
    }
    return end
  }

  async #pass(address: MigrationAddress, ledger: Ledger, dryRun: boolean): Promise<PassEnd> {
    const { client, budget, onQuarantine } = this.#options
    const { clock, random } = this.#options.world
    const world = { clock, random, log: this.#log }
    const { requestTimeoutMs } = this.#limits
    const reporter = this.#reporter(ledger)
    const pass = new Pass({
      ...{ world, ledger, dryRun, requestTimeoutMs, halt: this.#halt, budget, onQuarantine },
      rewriter: new Rewriter({ client, address, dryRun }),
      source: this.#source(address, ledger.state),
      fenced: this.#target.fenced,
      currentAfter: this.#target.epochResourceVersion,
      limits: this.#passLimits,
      pace: this.#pace,
      firstWay: address.way,
      guard: this.#guard,
      standstill: this.#standstill,
      onTotal: (total) => {
        reporter.total = total
      },
    })
    reporter.start()
    try {
      return await pass.run()
    } finally {
      reporter.stop()
      reporter.tell()
      this.#report = reporter.report()
    }
  }

  #reporter(ledger: Ledger): Reporter {
    const { world, onProgress = () => {} } = this.#options
    const { finished, total } = this.#at
    return new Reporter({
      ...{ clock: world.clock, target: this.#target, finished, ledger, total, onProgress },
      ...{ pace: this.#pace, everyMs: this.#limits.progressEveryMs, standstill: this.#standstill },
      isByServers: () => this.#byServers,
    })
  }

  get #passLimits(): PassLimits {
    const { startParallelism: start, maxParallelism: max, tries, patienceMs } = this.#limits
    return {
      retry: { ...retryLimits, tries },
      parallelism: { ...parallelismLimits, start, max },
      patienceMs,
    }
  }
}

function historyOf(client: Client, target: MigrationTarget, signal: AbortSignal) {
  const { how, resource, resourceVersion, encodingVersion: commonEncodingVersion } = target
  if (how !== 'storageversion' || resourceVersion === undefined || commonEncodingVersion === undefined)
    return undefined
  return followStorageVersion(client, resource, { resourceVersion, commonEncodingVersion }, signal)
}
