import type { ApiObject } from '@strata/api'
import type { ResourceClient } from '@strata/client'
import { retryAfterMs } from '@strata/client'
import { deadline, sleep, type World } from '@strata/world'
import type { Tally } from '../progress/tally.ts'
import { classifyListError } from './classify-list-error.ts'
import { decideRetry, type Failures, noFailures } from './decide-retry.ts'

/** The fields of an object that a rewrite needs. */
export interface ListedObject {
  readonly namespace?: string
  readonly name: string
  readonly resourceVersion?: string
}

export interface ListedPage {
  readonly objects: readonly ListedObject[]
  readonly next: string | undefined
  /** How many there are in all, if the server said how many are left. */
  readonly total: number | undefined
  /** This is the first page again: what was listed before is listed once more. */
  readonly isAnew: boolean
  /** Counts objects that were dealt with already, besides `objects`. */
  readonly settled?: Tally
}

/** The objects that a user wants to be rewritten, if not all. */
export interface ObjectPart {
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
}

/** Where the objects of a pass come from. */
export interface ObjectSource {
  next(signal: AbortSignal): Promise<ListedPage>
}

/** The listing cannot continue. */
export class ListingEnded extends Error {
  override readonly name = 'ListingEnded'
}

export interface PageSourceOptions {
  readonly world: Pick<World, 'clock' | 'random' | 'log'>
  /**
   * Lists metadata only: a page of whole objects may be larger than the memory of server or client
   * (docs/reference/upstream-behaviour.md, X9).
   */
  readonly objects: ResourceClient
  readonly pageSize: number
  /** Lists only these; default: all objects. */
  readonly part?: ObjectPart | undefined
  readonly requestTimeoutMs: number
  /** How long one page is retried. */
  readonly patienceMs: number
  readonly continueToken?: string | undefined
  /** How many were listed before the token. */
  readonly listedBefore?: number
  /** Called before each retry of a page. */
  readonly onFailure: (because: string) => void
}

/** How often a listing may begin: a server may let every listing expire. */
export const mostBeginnings = 5
const smallestPage = 10
/** For errors that pass in moments, or never. */
const briefPatienceMs = 30_000

/** Lists the objects of a resource page by page, and retries each page. */
export class PageSource implements ObjectSource {
  readonly #options: PageSourceOptions
  #token: string | undefined
  #listed: number
  #limit: number
  #beginnings = 1

  constructor(options: PageSourceOptions) {
    this.#options = options
    this.#token = options.continueToken
    this.#listed = options.listedBefore ?? 0
    this.#limit = options.pageSize
  }

  async next(signal: AbortSignal): Promise<ListedPage> {
    const { world, patienceMs } = this.#options
    const startMs = world.clock.monotonicMs()
    let endMs = startMs + patienceMs
    let failures = noFailures
    let isAnew = false
    for (;;) {
      try {
        return { ...(await this.#ask(signal)), isAnew }
      } catch (error) {
        if (signal.aborted) throw error
        const verdict = classifyListError(error)
        world.log.info('listing a page failed', { do: verdict.do, error: String(error) })
        switch (verdict.do) {
          case 'go on':
            this.#token = verdict.continueToken
            break
          case 'begin anew':
            isAnew = true
            this.#token = undefined
            this.#listed = 0
            this.#beginnings++
            if (this.#beginnings > mostBeginnings) throw ended('the listing expired too often', error)
            break
          case 'abort':
            throw ended('the objects cannot be listed', error)
          case 'retry':
            if (verdict.smaller) this.#limit = Math.max(smallestPage, Math.floor(this.#limit / 2))
            if (verdict.isBrief) endMs = Math.min(endMs, startMs + briefPatienceMs)
        }
        if (world.clock.monotonicMs() > endMs) throw ended('the objects cannot be listed', error)
        this.#options.onFailure(whyText(error))
        failures = await this.#pause(failures, error, signal)
      }
    }
  }

  async #ask(signal: AbortSignal): Promise<Omit<ListedPage, 'isAnew'>> {
    const { world, objects, requestTimeoutMs, part } = this.#options
    const limit = deadline(world.clock, requestTimeoutMs, signal)
    try {
      const token = this.#token === undefined ? {} : { continueToken: this.#token }
      const page = await objects.listPage({ ...part, limit: this.#limit, ...token }, limit.signal)
      // Some servers say null for none.
      const items = page.items ?? []
      const { continue: next, remainingItemCount } = page.metadata
      this.#token = next === '' ? undefined : next
      this.#listed += items.length
      const isLast = this.#token === undefined
      const total = isLast
        ? this.#listed
        : remainingItemCount === undefined
          ? undefined
          : this.#listed + remainingItemCount
      return { objects: items.map(listed), next: this.#token, total }
    } finally {
      limit.dispose()
    }
  }

  async #pause(before: Failures, error: unknown, signal: AbortSignal): Promise<Failures> {
    const { clock, random } = this.#options.world
    const failed = { isThrottled: true, othersSucceeded: false, retryAfterMs: retryAfterMs(error) }
    const decision = decideRetry(before, failed, undefined, random.fraction())
    if (decision.do === 'give up') throw ended('the objects cannot be listed', error)
    await sleep(clock, decision.afterMs, signal)
    return decision.failures
  }
}

function listed({ metadata: { namespace, name = '', resourceVersion } }: ApiObject): ListedObject {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  }
}

function ended(what: string, cause: unknown): ListingEnded {
  return new ListingEnded(`${what}: ${whyText(cause)}`, { cause })
}

export function whyText(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
