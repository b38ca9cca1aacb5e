import { batch, computed, type ReadonlySignal, signal } from '@preact/signals'
import type { Clock } from '@strata/world'
import type { Observed } from '../../live/observed.ts'
import type { SafetyAnswer } from '../../model/safety/safety-answer.ts'
import { type AskedAnswer, decideShownAnswer, recordsMark } from '../../model/safety/shown-answer.ts'

export interface SafetyParts {
  readonly clock: Clock
  /** What is so now. */
  readonly observed: ReadonlySignal<Observed>
  /** A moment of the past that is shown instead. */
  readonly moment: ReadonlySignal<Observed | undefined>
  readonly ask: (release: string) => Promise<SafetyAnswer>
}

/** Asks about one release after the other, and shows the verdict on the last one for as long as it is known to hold. */
export class SafetyDesk {
  readonly #parts: SafetyParts
  readonly #asked = signal<AskedAnswer | undefined>(undefined)
  readonly #mark = computed(() => recordsMark(this.#parts.observed.value.records.objects))
  #questions = 0

  readonly problem = signal('')
  readonly isAsking = signal(false)
  readonly shown = computed(() => {
    const { observed, moment } = this.#parts
    return decideShownAnswer(this.#asked.value, {
      mark: this.#mark.value,
      isUnseen: observed.value.unseen !== undefined,
      isPast: moment.value !== undefined,
    })
  })

  constructor(parts: SafetyParts) {
    this.#parts = parts
  }

  async ask(release: string): Promise<void> {
    const question = ++this.#questions
    // Of before the question: a record that changes meanwhile may not be in the answer.
    const mark = this.#mark.value
    const atMs = this.#parts.clock.wallMs()
    batch(() => {
      this.problem.value = ''
      this.isAsking.value = true
    })
    const found = await this.#parts.ask(release).catch((error: unknown) => ({
      problem: error instanceof Error ? error.message : String(error),
    }))
    // Something else was asked meanwhile.
    if (question !== this.#questions) return
    batch(() => {
      this.isAsking.value = false
      this.problem.value = 'problem' in found ? found.problem : ''
      this.#asked.value = 'problem' in found ? undefined : { answer: found, atMs, mark }
    })
  }
}
