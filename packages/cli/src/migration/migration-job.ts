import { ApiError, groupResourceText } from '@strata/api'
import type { DiscoveredResource } from '@strata/client'
import { DeadlineExceeded, deadline, type Log, silentLog, sleep, TransportError } from '@strata/world'
import type { CliContext } from '../context.ts'
import type { Cluster } from './cluster.ts'
import type { MigrationView } from './migration-view.ts'

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
const lookMs = 60_000
/** For a reading of everything that is stored: longer than servers allow for it. */
const readMs = 630_000
const lastWordsMs = 10_000
/** For so long a server may be away. */
const patienceMs = 60_000

/** One resource that is to be migrated, and everything that is at hand for it. */
export class MigrationJob {
  readonly cluster: Cluster
  readonly resource: DiscoveredResource
  readonly options: MigrateOptions
  readonly view: MigrationView
  readonly context: CliContext
  readonly name: string
  readonly #startMs: number

  constructor(
    cluster: Cluster,
    resource: DiscoveredResource,
    options: MigrateOptions,
    view: MigrationView,
    context: CliContext,
  ) {
    this.cluster = cluster
    this.resource = resource
    this.options = options
    this.view = view
    this.context = context
    this.name = groupResourceText(resource)
    this.#startMs = context.world.clock.monotonicMs()
  }

  get tookMs(): number {
    return this.context.world.clock.monotonicMs() - this.#startMs
  }

  /** What went by on the screen stays readable; whoever wants to know more asks for it. */
  get log(): Log {
    const { environment, world } = this.context
    return environment['STRATA_LOG_LEVEL'] === 'debug' ? world.log : silentLog
  }

  get limits() {
    const { parallelism, pageSize } = this.options
    return { maxParallelism: parallelism, startParallelism: Math.min(4, parallelism), pageSize }
  }

  /** Looks, and looks again while nobody answers; Ctrl-C ends it. */
  async look<T>(
    look: (signal: AbortSignal) => Promise<T>,
    limitMs = lookMs,
    isWorthIt = mayPass,
  ): Promise<T> {
    const { clock } = this.context.world
    const endMs = clock.monotonicMs() + patienceMs
    for (;;) {
      const limit = deadline(clock, limitMs, this.context.signal)
      try {
        return await look(limit.signal)
      } catch (error) {
        if (this.context.signal.aborted || !isWorthIt(error) || clock.monotonicMs() >= endMs) throw error
        this.view.wait(this.name, 'no server answers; asking again')
      } finally {
        limit.dispose()
      }
      await this.pause()
    }
  }

  /** Has everything that is stored read; undefined if that takes too long: then it has to be done without. */
  async read<T>(read: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    try {
      return await this.look(read, readMs, (error) => mayPass(error) && !isTimeout(error))
    } catch (error) {
      if (this.context.signal.aborted || !isTimeout(error)) throw error
      return undefined
    }
  }

  async pause(): Promise<void> {
    await sleep(this.context.world.clock, lookEveryMs, this.context.signal).catch(() => {})
  }

  /** Also after Ctrl-C. Should it fail, whoever comes next finds the process gone. */
  async lastWords(say: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const limit = deadline(this.context.world.clock, lastWordsMs)
    try {
      await say(limit.signal)
    } catch (error) {
      this.log.info('the end could not be written down', { error: String(error) })
    } finally {
      limit.dispose()
    }
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 429 || error.code >= 500
  return error instanceof TransportError || error instanceof DeadlineExceeded
}

function isTimeout(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 408 || error.code === 504
  return error instanceof DeadlineExceeded
}
