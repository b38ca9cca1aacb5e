import type { Cancel, World } from '@strata/world'
import type { Halt, PassEnd } from '../progress/halt.ts'
import type { Ledger, OpenPage } from '../progress/ledger.ts'
import type { Quarantined } from '../progress/quarantine.ts'
import { settledOf } from '../progress/tally.ts'
import type { TargetGuard } from '../target/target-guard.ts'
import type { Refusal } from './classify-error.ts'
import { decideRetry, type Failures, noFailures, type RetryLimits } from './decide-retry.ts'
import { type ListedObject, ListingEnded, type ObjectSource } from './page-source.ts'
import { adaptParallelism, type Parallelism, type ParallelismLimits } from './parallelism.ts'
import type { BudgetSeat, RequestBudget } from './request-budget.ts'
import type { Way } from './rewriter.ts'
import { type Candidate, type SettleOptions, type Step, settleObject } from './settle-object.ts'
import type { StallDetector } from './stall-detector.ts'
import { WorkList } from './work-list.ts'

export interface PassLimits {
  readonly retry: RetryLimits
  readonly parallelism: ParallelismLimits
  /** How long nothing at all may succeed before the pass ends. */
  readonly patienceMs: number
}

export interface PassOptions extends SettleOptions {
  readonly world: Pick<World, 'clock' | 'random' | 'log'>
  readonly source: ObjectSource
  readonly ledger: Ledger
  readonly limits: PassLimits
  /** Kept from one pass to the next. */
  readonly pace: { now: Parallelism }
  readonly firstWay: Way
  readonly guard: Pick<TargetGuard, 'check' | 'looks'>
  readonly onTotal: (total: number) => void
  readonly standstill: StallDetector
  readonly halt: Halt
  /** Shared with the passes of other resources. */
  readonly budget?: RequestBudget | undefined
  /** Called for each object that is quarantined; again if the list begins anew. */
  readonly onQuarantine?: ((object: Quarantined) => void) | undefined
}

interface Work {
  readonly object: ListedObject
  readonly page: OpenPage
  /** Once it has been tried. */
  readonly candidate?: Candidate
  readonly failures: Failures
  /** The sign of health of the server at the last try. */
  readonly healthThen: Health
}

type FailedStep = Step & { readonly kind: 'failed' }

function isAboutTheServer({ isThrottled, retryAfterMs, reason }: FailedStep): boolean {
  return isThrottled || retryAfterMs > 0 || reason === 'Unavailable'
}

type Tried = Work & { readonly candidate: Candidate }

/** A sign that the server is healthy, so that the object is the cause of a failure. */
interface Health {
  readonly successes: number
  readonly looks: number
}

const mostOpenPages = 8
const mostDeferred = 1_000
/** The longest pause of all objects that one answer causes. */
const longestHoldMs = 60_000
/** After so many failures in a row, one that is about the server makes the pass wait: longer each time, and at most so long. */
const firstInARow = 4
const longestSilenceMs = 10_000
/** If this many objects are refused for a reason that is not theirs and none succeeds, the run ends. */
const hopelessAfter = 50
const aboutTheCaller: ReadonlySet<Refusal> = new Set(['Forbidden', 'Unsupported', 'Unauthorized'])
/** What a dry run is there to find out. A migration waits until such a webhook answers again. */
const aboutAWebhook: ReadonlySet<Refusal> = new Set(['WebhookUnavailable', 'ConversionFailed'])
/** While others are retried. Once it has not answered for so long, each further object is asked about once. */
const triesOfAWebhook = 4
const webhookPatienceMs = 5_000

/** Visits all objects once, several at a time, and retries failed ones later, until each is settled or the run ends. */
export class Pass {
  readonly #options: PassOptions
  readonly #work = new WorkList<Work>()
  #inFlight = 0
  #isFetching = false
  #isListed: boolean
  #successes = 0
  #refusals = 0
  #lastSuccessMs: number
  #lastFailure = ''
  #heldUntilMs = 0
  #failedInARow = 0
  /** Since when a webhook has not answered a dry run. */
  #silentSinceMs: number | undefined
  #firstWay: Way
  #wake = Promise.withResolvers<void>()
  #seat: BudgetSeat | undefined
  /** A bug: it ends the pass. */
  #bug: { readonly error: unknown } | undefined

  constructor(options: PassOptions) {
    this.#options = options
    this.#firstWay = options.firstWay
    this.#lastSuccessMs = options.world.clock.monotonicMs()
    this.#isListed = options.ledger.state.isComplete === true
  }

  async run(): Promise<PassEnd> {
    const { halt, world } = this.#options
    const wake = (): void => this.#wake.resolve()
    halt.waits.addEventListener('abort', wake)
    this.#seat = this.#options.budget?.join(wake)
    try {
      for (;;) {
        this.#wake = Promise.withResolvers()
        const nowMs = world.clock.monotonicMs()
        this.#giveUpIfNothingMoves(nowMs)
        if (!halt.end && !this.#bug) this.#fill(nowMs)
        if (this.#inFlight === 0 && !this.#isFetching) {
          if (this.#bug) throw this.#bug.error
          if (halt.end) return halt.end
          if (this.#isListed && this.#work.isEmpty) return { kind: 'finished' }
        }
        const cancelTimer = this.#wakeWhenDue(nowMs)
        await this.#wake.promise
        cancelTimer()
      }
    } finally {
      halt.waits.removeEventListener('abort', wake)
      this.#seat?.leave()
    }
  }

  #fill(nowMs: number): void {
    const { ledger, pace, halt } = this.#options
    const allowed = Math.floor(pace.now.allowed)
    const isRoom = ledger.openPages < mostOpenPages && this.#work.deferred < mostDeferred
    // The next page is requested while the last objects of the page before are under way.
    if (!this.#isListed && !this.#isFetching && isRoom && this.#work.ready <= allowed) this.#fetch()
    if (nowMs < this.#heldUntilMs) return
    while (this.#inFlight < allowed && !halt.end && this.#work.hasReady(nowMs)) {
      const turn = this.#seat?.take()
      if (turn?.kind === 'later') this.#heldUntilMs = nowMs + turn.afterMs
      if (turn !== undefined && turn.kind !== 'taken') return
      const work = this.#work.take(nowMs)
      if (work) this.#try(work)
    }
  }

  #wakeWhenDue(nowMs: number): Cancel {
    const { nextDueMs, ready } = this.#work
    const isHeld = nowMs < this.#heldUntilMs
    const dueMs = isHeld && (ready > 0 || nextDueMs !== undefined) ? this.#heldUntilMs : nextDueMs
    if (dueMs === undefined) return () => {}
    return this.#options.world.clock.after(Math.max(0, dueMs - nowMs), () => this.#wake.resolve())
  }

  #fetch(): void {
    const { source, ledger, guard, halt, onTotal, standstill, world } = this.#options
    const fetch = async (): Promise<void> => {
      await guard.check(halt.waits)
      this.#seat?.count()
      const { objects, next, total, isAnew, settled } = await source.next(halt.waits)
      if (isAnew) {
        // Waiting objects will be listed again. Writes under way, or without an answer, settle pages that do not count any
        // more, and the ledger remembers the rewritten ones.
        this.#work.keep(({ candidate }) => candidate?.unheard !== undefined)
        ledger.beginAnew()
      }
      const page = ledger.open(objects.length, next, settled)
      for (const object of objects) {
        this.#work.add({ object, page, failures: noFailures, healthThen: this.#health })
      }
      this.#isListed = next === undefined
      this.#lastSuccessMs = world.clock.monotonicMs()
      standstill.moved()
      if (settled) this.#successes += settledOf(settled)
      if (total !== undefined) onTotal(total)
    }
    this.#isFetching = true
    this.#background(fetch, () => {
      this.#isFetching = false
    })
  }

  #try(work: Work): void {
    const { world, halt, pace, limits } = this.#options
    const candidate = work.candidate ?? { object: work.object, way: this.#firstWay, rereads: 0 }
    const startMs = world.clock.monotonicMs()
    const attempt = async (): Promise<void> => {
      const step = await settleObject(this.#options, candidate, halt.writes)
      const latencyMs = world.clock.monotonicMs() - startMs
      const isCongested = step.kind === 'failed' && isAboutTheServer(step)
      const answered = isCongested ? ({ kind: 'congested' } as const) : ({ kind: 'fine', latencyMs } as const)
      pace.now = adaptParallelism(pace.now, answered, limits.parallelism)
      this.#apply({ ...work, candidate }, step)
    }
    this.#inFlight++
    this.#background(attempt, () => {
      this.#inFlight--
      this.#seat?.release()
    })
  }

  #background(run: () => Promise<void>, done: () => void): void {
    const { halt } = this.#options
    run()
      .catch((error: unknown) => {
        if (error instanceof ListingEnded) halt.finish({ kind: 'failed', because: error.message })
        else if (!halt.waits.aborted) this.#bug ??= { error }
      })
      .finally(() => {
        done()
        this.#wake.resolve()
      })
  }

  #apply(work: Tried, step: Step): void {
    const { ledger, standstill, world } = this.#options
    const { candidate, page } = work
    switch (step.kind) {
      case 'settled':
        this.#successes++
        this.#failedInARow = 0
        this.#silentSinceMs = undefined
        this.#lastSuccessMs = world.clock.monotonicMs()
        standstill.moved()
        // The verb that worked for this object is tried first on the next ones.
        if (candidate.refused?.reason === 'Unsupported') this.#firstWay = candidate.way
        ledger.settle(page, step.as)
        return
      case 'go on':
        this.#work.defer({ ...work, candidate: step.candidate }, world.clock.monotonicMs())
        return
      case 'refused':
        this.#refuse(work, step.reason, step.message)
        return
      case 'failed':
        this.#fail(work, step)
    }
  }

  #fail(work: Tried, step: FailedStep): void {
    const { halt, standstill, world, limits } = this.#options
    const nowMs = world.clock.monotonicMs()
    this.#lastFailure = step.message
    standstill.failed(step.message)
    this.#hold(nowMs, step)
    const healthThen = this.#health
    const isFinding = this.#isFinding(step.reason)
    const failed = { ...step, othersSucceeded: isFinding || this.#isServerWell(work.healthThen) }
    const retry = isFinding ? { ...limits.retry, tries: this.#triesOfFinding(nowMs) } : limits.retry
    const decision = decideRetry(work.failures, failed, retry, world.random.fraction())
    if (decision.do === 'again') {
      const { failures, afterMs } = decision
      const { candidate } = step
      this.#work.defer({ ...work, candidate, failures, healthThen }, nowMs + afterMs)
    } else if (step.inTheEnd === 'abort') {
      halt.finish({ kind: 'failed', because: step.message })
    } else {
      this.#refuse(work, step.reason, step.message)
    }
  }

  /**
   * Makes all objects wait: as long as the server asks, or longer each time while it is unavailable. Otherwise each waiting
   * object would probe a server that is down.
   */
  #hold(nowMs: number, step: FailedStep): void {
    const { retry } = this.#options.limits
    this.#failedInARow++
    const silentMs = isAboutTheServer(step) ? retry.firstMs * 2 ** (this.#failedInARow - firstInARow) : 0
    const askedMs = Math.min(step.retryAfterMs, longestHoldMs)
    const holdMs = Math.max(
      askedMs,
      this.#failedInARow < firstInARow ? 0 : Math.min(silentMs, longestSilenceMs),
    )
    this.#heldUntilMs = Math.max(this.#heldUntilMs, nowMs + holdMs)
  }

  #refuse({ page, object }: Tried, reason: Refusal, message: string): void {
    const { ledger, halt, standstill, world } = this.#options
    const { name, namespace } = object
    const reference = namespace === undefined ? { name } : { namespace, name }
    world.log.warn('object quarantined', { ...reference, reason, message })
    standstill.moved()
    ledger.settle(page, 'quarantined', { ...reference, reason, message })
    this.#options.onQuarantine?.({ ...reference, reason, message })
    if (aboutTheCaller.has(reason) || this.#isFinding(reason)) this.#refusals++
    if (this.#refusals >= hopelessAfter && this.#successes === 0) {
      halt.finish({
        kind: 'failed',
        because: `${this.#refusals} objects were refused and none succeeded: ${message}`,
      })
    }
  }

  #isFinding(reason: Refusal): boolean {
    return this.#options.dryRun && aboutAWebhook.has(reason)
  }

  #triesOfFinding(nowMs: number): number {
    this.#silentSinceMs ??= nowMs
    if (nowMs - this.#silentSinceMs >= webhookPatienceMs) return 1
    return Math.min(this.#options.limits.retry.tries, triesOfAWebhook)
  }

  get #health(): Health {
    return { successes: this.#successes, looks: this.#options.guard.looks }
  }

  /** Other objects succeed. Or, if no other is left and some have succeeded, the server answers reads of the target. */
  #isServerWell({ successes, looks }: Health): boolean {
    if (this.#successes > successes) return true
    const isTail = this.#isListed && this.#work.ready === 0 && this.#successes > 0
    return isTail && this.#options.guard.looks > looks
  }

  #giveUpIfNothingMoves(nowMs: number): void {
    const { halt, limits } = this.#options
    const waitedMs = nowMs - this.#lastSuccessMs
    if (this.#lastFailure === '' || waitedMs <= limits.patienceMs) return
    const because = `nothing has succeeded for ${Math.round(waitedMs / 1000)} s: ${this.#lastFailure}`
    halt.finish({ kind: 'failed', because })
  }
}
