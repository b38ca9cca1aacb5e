import type { GroupResource, StorageCensusStatus, StorageReencodeStatus } from '@strata/api'
import { isNotOffered, isTimeout, mayHaveActed, retryAfterMs } from '@strata/client'
import { deadline, sleep, type World } from '@strata/world'
import type { Halt } from '../progress/halt.ts'
import { emptyTally } from '../progress/tally.ts'
import type { DataSide } from '../target/data-side.ts'
import { isSameEpoch, isSameRecord } from '../target/same-record.ts'
import { classifyListError } from './classify-list-error.ts'
import { decideRetry, type Failures, noFailures } from './decide-retry.ts'
import {
  type ListedPage,
  ListingEnded,
  mostBeginnings,
  type ObjectSource,
  type PageSourceOptions,
  whyText,
} from './page-source.ts'

export interface BulkSourceOptions {
  readonly world: Pick<World, 'clock' | 'random' | 'log'>
  readonly data: Pick<DataSide, 'census' | 'reencode'>
  readonly target: {
    readonly resource: GroupResource
    readonly epoch: number
    readonly recordUID?: string | undefined
    readonly encodingVersion: string
  }
  readonly batchSize: number
  /** The timeout of one batch. */
  readonly requestTimeoutMs: number
  /** The timeout of a census. */
  readonly censusTimeoutMs: number
  readonly patienceMs: number
  readonly continueToken?: string | undefined
  /** How many were dealt with before the token. */
  readonly settledBefore: number
  /** A source through the API, from a token on. A token means the same place in both sources. */
  readonly through: (from: Pick<PageSourceOptions, 'continueToken' | 'listedBefore'>) => ObjectSource
  readonly halt: Halt
  /** Called before each retry of a batch. */
  readonly onFailure: (because: string) => void
}

const smallestBatch = 50

/**
 * Lets the servers rewrite the objects next to the data, a batch at a time. Returns the objects that a batch left: each is tried
 * once more through the API, which then says why it fails, or accepts it.
 */
export class BulkSource implements ObjectSource {
  readonly #options: BulkSourceOptions
  #token: string | undefined
  #settled: number
  #limit: number
  #census: StorageCensusStatus | 'none' | undefined
  #fallback: ObjectSource | undefined
  #beginnings = 1
  /** How many of the next objects may have been rewritten by a batch whose answer was lost. */
  #inDoubt = 0

  constructor(options: BulkSourceOptions) {
    this.#options = options
    this.#token = options.continueToken
    this.#settled = options.settledBefore
    this.#limit = options.batchSize
  }

  async next(signal: AbortSignal): Promise<ListedPage> {
    if (this.#fallback) return this.#fallback.next(signal)
    const { world, patienceMs, through } = this.#options
    const endMs = world.clock.monotonicMs() + patienceMs
    let failures = noFailures
    let isAnew = false
    for (;;) {
      try {
        return { ...(await this.#ask(signal)), isAnew }
      } catch (error) {
        if (signal.aborted) throw error
        const verdict = isNotOffered(error) ? ({ do: 'abort' } as const) : classifyListError(error)
        world.log.info('batch rewrite failed', { do: verdict.do, error: String(error) })
        if (verdict.do === 'abort') {
          this.#fallback = through({ continueToken: this.#token, listedBefore: this.#settled })
          const page = await this.#fallback.next(signal)
          // It is unknown which objects those were.
          const settled = this.#inDoubt > 0 ? { settled: { ...emptyTally, rewrittenBefore: 1 } } : {}
          return { ...page, ...settled, isAnew: isAnew || page.isAnew }
        }
        if (verdict.do === 'begin anew') {
          isAnew = true
          this.#token = undefined
          this.#settled = 0
          if (this.#inDoubt > 0) this.#inDoubt = Number.POSITIVE_INFINITY
          if (++this.#beginnings > mostBeginnings) throw tooOften(error)
        }
        if (verdict.do === 'retry' && verdict.smaller) {
          this.#limit = Math.max(smallestBatch, Math.floor(this.#limit / 2))
        }
        if (world.clock.monotonicMs() > endMs) throw ended(error)
        this.#options.onFailure(whyText(error))
        failures = await this.#pause(failures, error, signal)
      }
    }
  }

  async #ask(signal: AbortSignal): Promise<Omit<ListedPage, 'isAnew'>> {
    const { world, data, target, requestTimeoutMs } = this.#options
    this.#census ??= await this.#count(signal)
    const census = this.#census === 'none' ? undefined : this.#census
    if (census && isSameEpoch(census, target) && isClean(census)) return this.#allCurrent(census)
    const limit = deadline(world.clock, requestTimeoutMs, signal)
    try {
      const token = this.#token === undefined ? {} : { continueToken: this.#token }
      const { resource, epoch, encodingVersion } = target
      const spec = { ...resource, epoch, encodingVersion, limit: this.#limit, ...token }
      return this.#pageOf(await data.reencode(spec, limit.signal), census)
    } catch (error) {
      if (!isNotOffered(error) && mayHaveActed(error)) this.#inDoubt = Math.max(this.#inDoubt, this.#limit)
      throw error
    } finally {
      limit.dispose()
    }
  }

  /** Counts the objects, and shows whether any of them needs work. It is not essential: after a timeout it is not repeated. */
  async #count(signal: AbortSignal): Promise<StorageCensusStatus | 'none'> {
    const { world, data, target, censusTimeoutMs } = this.#options
    const limit = deadline(world.clock, censusTimeoutMs, signal)
    try {
      return await data.census(target.resource, limit.signal)
    } catch (error) {
      if (signal.aborted || !isTimeout(error)) throw error
      world.log.info('census timed out', { error: String(error) })
      return 'none'
    } finally {
      limit.dispose()
    }
  }

  #allCurrent({ total }: StorageCensusStatus): Omit<ListedPage, 'isAnew'> {
    const alreadyCurrent = Math.max(0, total - this.#settled)
    return { objects: [], next: undefined, total, settled: { ...emptyTally, alreadyCurrent } }
  }

  #pageOf(batch: StorageReencodeStatus, census: StorageCensusStatus | undefined): Omit<ListedPage, 'isAnew'> {
    const { outcome, migrated, alreadyCurrent, examined, left, objects = [], continueToken } = batch
    const { halt, target } = this.#options
    const isHere = isSameRecord(batch, target)
    if (outcome === 'EpochMoved' || !isHere) {
      const what = isHere ? '' : ' of another agreement record'
      const because = `the target moved: epoch ${target.epoch} became epoch ${batch.epoch}${what}`
      halt.finish({ kind: 'aborted', because })
      throw new ListingEnded(because)
    }
    this.#token = continueToken
    this.#settled += examined
    const gone = Math.max(0, examined - migrated - alreadyCurrent - left)
    const perhapsRewritten = Math.min(alreadyCurrent, this.#inDoubt)
    this.#inDoubt = Math.max(0, this.#inDoubt - examined)
    return {
      objects: objects.map(({ name, namespace }) =>
        namespace === undefined ? { name } : { namespace, name },
      ),
      next: outcome === 'More' ? continueToken : undefined,
      total: census ? Math.max(census.total, this.#settled) : undefined,
      settled: {
        ...{ ...emptyTally, migrated, gone, perhapsRewritten },
        alreadyCurrent: alreadyCurrent - perhapsRewritten,
      },
    }
  }

  async #pause(before: Failures, error: unknown, signal: AbortSignal): Promise<Failures> {
    const { clock, random } = this.#options.world
    const failed = { isThrottled: true, othersSucceeded: false, retryAfterMs: retryAfterMs(error) }
    const decision = decideRetry(before, failed, undefined, random.fraction())
    if (decision.do === 'give up') throw ended(error)
    await sleep(clock, decision.afterMs, signal)
    return decision.failures
  }
}

/** No stored object is stale or unreadable. */
function isClean({ stale, unreadable }: Pick<StorageCensusStatus, 'stale' | 'unreadable'>): boolean {
  return stale === 0 && unreadable === 0
}

function tooOften(cause: unknown): ListingEnded {
  return new ListingEnded(`the listing expired too often: ${whyText(cause)}`, { cause })
}

function ended(cause: unknown): ListingEnded {
  return new ListingEnded(`the objects cannot be rewritten: ${whyText(cause)}`, { cause })
}
