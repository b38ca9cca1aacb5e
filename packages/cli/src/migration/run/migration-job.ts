import { ApiError, groupResourceText } from '@strata/api'
import { type DiscoveredResource, isTimeout, isTransient } from '@strata/client'
import {
  type MigrationTarget,
  type ObjectPart,
  RequestBudget,
  TargetAges,
  type WriteStop,
} from '@strata/controllers'
import { deadline, type Log, silentLog, sleep } from '@strata/world'
import type { CliContext } from '../../context.ts'
import type { MigrationView } from '../report/progress-view.ts'
import type { Cluster } from '../resources/cluster.ts'
import { isTransientForReading, patienceMs, readMs, waitingText, withRetries } from './read-with-retries.ts'

export type { WriteStop }

export interface MigrateOptions {
  /** How many writes may be under way at the same time, of all resources together. */
  readonly concurrency: number
  /** Requests per second, of all resources together. */
  readonly qps?: number | undefined
  /** By resource, the targets of a plan: another target is not migrated to. */
  readonly planned?: ReadonlyMap<string, MigrationTarget> | undefined
  /** Rewrites only these objects. */
  readonly part?: ObjectPart | undefined
  readonly pageSize: number
  readonly agreementTimeoutMs: number
  readonly takeOver: boolean
  readonly dryRun: boolean
  /** Rewrites each object through the API, even where servers would do it next to the data. */
  readonly throughApi: boolean
  /** Called for each resource once all servers know its target; what it returns ends its migration before the first write. */
  readonly beforeWrites?: (
    resource: DiscoveredResource,
    signal: AbortSignal,
  ) => Promise<WriteStop | undefined>
  /** Flags that reach the same cluster, for commands that are suggested. */
  readonly given?: string
}

const lookEveryMs = 1_000
const lookMs = 60_000
const lastWordsMs = 10_000

/** What the migrations of one command share. */
export interface SharedByJobs {
  /** Since when each target is unchanged, also from before its turn came. */
  readonly standing: TargetAges
  readonly budget: RequestBudget
}

export function shareByJobs(
  { world: { clock } }: Pick<CliContext, 'world'>,
  { concurrency, qps }: Pick<MigrateOptions, 'concurrency' | 'qps'>,
): SharedByJobs {
  return {
    standing: new TargetAges(clock),
    budget: new RequestBudget(clock, { concurrency, perSecond: qps }),
  }
}

/** The migration of one resource, with everything that it needs. */
export class MigrationJob {
  readonly cluster: Cluster
  readonly resource: DiscoveredResource
  readonly options: MigrateOptions
  readonly view: MigrationView
  readonly context: CliContext
  readonly name: string
  readonly shared: SharedByJobs
  readonly #startMs: number

  constructor(
    cluster: Cluster,
    resource: DiscoveredResource,
    options: MigrateOptions,
    view: MigrationView,
    context: CliContext,
    shared = shareByJobs(context, options),
  ) {
    this.cluster = cluster
    this.resource = resource
    this.options = options
    this.view = view
    this.context = context
    this.name = groupResourceText(resource)
    this.shared = shared
    this.#startMs = context.world.clock.monotonicMs()
  }

  get tookMs(): number {
    return this.context.world.clock.monotonicMs() - this.#startMs
  }

  /** Silent by default, to keep the screen readable. */
  get log(): Log {
    const { environment, world } = this.context
    return environment['STRATA_LOG_LEVEL'] === 'debug' ? world.log : silentLog
  }

  get limits() {
    const { concurrency, pageSize } = this.options
    return { maxParallelism: concurrency, startParallelism: Math.min(4, concurrency), pageSize }
  }

  /** Reads, with retries while no server answers; Ctrl-C ends it. */
  look<T>(look: (signal: AbortSignal) => Promise<T>, limitMs = lookMs, isWorthIt = isTransient): Promise<T> {
    const onWait = (error: unknown): void => {
      if (error instanceof ApiError) this.view.waits(this.name, waitingText(error))
      else this.view.wait(this.name, waitingText(error))
    }
    return withRetries(this.context, look, { limitMs, patienceMs, isWorthIt, onWait })
  }

  /** Reads everything that is stored; undefined if that takes too long. */
  async read<T>(read: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    try {
      return await this.look(read, readMs, isTransientForReading)
    } catch (error) {
      if (this.context.signal.aborted || !isTimeout(error)) throw error
      return undefined
    }
  }

  async pause(): Promise<void> {
    await sleep(this.context.world.clock, lookEveryMs, this.context.signal).catch(() => {})
  }

  /** Writes the end, also after Ctrl-C. If it fails (undefined), the next process finds that this one has ended. */
  async writeEnd<T>(say: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const limit = deadline(this.context.world.clock, lastWordsMs)
    try {
      return await say(limit.signal)
    } catch (error) {
      this.log.info('saving the result of the migration failed', { error: String(error) })
      return undefined
    } finally {
      limit.dispose()
    }
  }
}
