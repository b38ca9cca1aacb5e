import { ApiError } from '@strata/api'
import type { Clock } from '@strata/world'

export interface AnswerLimits {
  readonly keptMs: number
  /** How many answers are kept. */
  readonly mostKept: number
  /** How many questions may be under way. Clients choose the tokens and paths that are asked about. */
  readonly mostAsked: number
}

/** 429: nothing was asked, and the client may come again. */
export class TooManyQuestions extends ApiError {
  constructor() {
    const message = 'too many requests wait for the aggregator, please try again later'
    super(429, 'TooManyRequests', message, { retryAfterSeconds: 1 })
  }
}

/**
 * Answers of another server, kept for a short time. The same question is asked once at a time. A failure is not kept: the next
 * request asks again.
 */
export class SharedAnswers<T> {
  readonly #clock: Clock
  readonly #limits: AnswerLimits
  readonly #kept = new Map<string, { readonly answer: T; readonly untilMs: number }>()
  readonly #asked = new Map<string, Promise<T>>()

  constructor(clock: Clock, limits: AnswerLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /** Without `isKept`, every answer is kept. */
  get(key: string, ask: () => Promise<T>, isKept: (answer: T) => boolean = () => true): T | Promise<T> {
    const kept = this.#kept.get(key)
    if (kept && kept.untilMs > this.#clock.monotonicMs()) return kept.answer
    const underWay = this.#asked.get(key)
    if (underWay !== undefined) return underWay
    if (this.#asked.size >= this.#limits.mostAsked) return Promise.reject(new TooManyQuestions())
    const asking = ask()
      .then((answer) => {
        if (isKept(answer)) this.#keep(key, answer)
        return answer
      })
      .finally(() => this.#asked.delete(key))
    this.#asked.set(key, asking)
    return asking
  }

  #keep(key: string, answer: T): void {
    this.#kept.delete(key)
    // A map keeps its insertion order, and all answers are kept for the same time: the first is the oldest.
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= this.#limits.mostKept && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(key, { answer, untilMs: this.#clock.monotonicMs() + this.#limits.keptMs })
  }
}
