import { computed, effect, type ReadonlySignal, type Signal, signal, untracked } from '@preact/signals'
import type { Observed } from '../live/observed.ts'
import { statusOf } from '../model/fleet-facts.ts'
import { eventsBefore } from '../model/timeline/at-first.ts'
import { changesBetween } from '../model/timeline/fleet-changes.ts'
import { Moments } from '../model/timeline/moments.ts'
import { eventOfPlay, type PlayedEvent } from '../model/timeline/played-events.ts'
import { around, pan, spanOf, type TimeWindow, windowUpTo, zoom } from '../model/timeline/time-window.ts'
import type { TimelineEvent } from '../model/timeline/timeline-event.ts'

/** The oldest are forgotten first. */
const mostEvents = 1_000
const firstSpanMs = 10 * 60_000
/** Longer than anything that is watched stays quiet, but not a machine that sleeps. */
const gapMs = 60_000

export interface TimelineParts {
  readonly observed: ReadonlySignal<Observed>
  /** Set to what is shown instead of now. */
  readonly moment: Signal<Observed | undefined>
  readonly nowMs: ReadonlySignal<number>
  /** What `strata up` says of its fleet; empty elsewhere. */
  readonly played: ReadonlySignal<readonly PlayedEvent[]>
  /** The address names the moment, so that it can be sent to a colleague. */
  readonly onSettled: (atMs: number | undefined) => void
}

/** What happened, the part of it that is in sight, and the moment that the page shows. */
export class Timeline {
  readonly #parts: TimelineParts
  readonly #moments = new Moments()
  readonly #seen = signal<readonly TimelineEvent[]>([])
  readonly #fixed = signal<TimeWindow | undefined>(undefined)
  readonly #spanMs = signal(firstSpanMs)
  #last: Observed | undefined

  /** In the order of time. */
  readonly events: ReadonlySignal<readonly TimelineEvent[]>
  /** Ends now, until the user looks elsewhere. */
  readonly window: ReadonlySignal<TimeWindow>
  /** The moment that was asked for; undefined: now. */
  readonly atMs = signal<number | undefined>(undefined)
  /** The events of the mark that led to it, for as long as it is shown. */
  readonly picked = signal<readonly TimelineEvent[]>([])
  /** That moment is one that this page has not seen. */
  readonly isUnknown: ReadonlySignal<boolean>
  /** When what is shown was seen, if that was long before the moment that was asked for: nothing was seen in between. */
  readonly seenMs: ReadonlySignal<number | undefined>

  constructor(parts: TimelineParts) {
    this.#parts = parts
    this.events = computed(() => {
      const played = parts.played.value.map(eventOfPlay)
      return [...this.#seen.value, ...played].sort((a, b) => a.atMs - b.atMs)
    })
    this.window = computed(() => this.#fixed.value ?? windowUpTo(parts.nowMs.value, this.#spanMs.value))
    this.isUnknown = computed(() => this.atMs.value !== undefined && parts.moment.value === undefined)
    this.seenMs = computed(() => {
      const { value: moment } = parts.moment
      const isOld = moment !== undefined && (this.atMs.value ?? 0) - moment.atMs > gapMs
      return isOld ? moment.atMs : undefined
    })
  }

  /** Follows what is observed until the function that it returns is called. */
  follow(): () => void {
    return effect(() => {
      const { value: observed } = this.#parts.observed
      untracked(() => this.#remember(observed))
    })
  }

  /** Shows the page as it was at that time; undefined: as it is now, and follows it. */
  show(atMs: number | undefined): void {
    if (atMs === undefined) this.#fixed.value = undefined
    else this.#fixed.value = around(this.window.value, atMs, this.#parts.nowMs.value)
    this.atMs.value = atMs
    this.picked.value = []
    this.#parts.moment.value = atMs === undefined ? undefined : this.#moments.at(atMs)
  }

  /** The same, and the address says so. A gesture shows many moments and settles on the last one. */
  open(atMs: number | undefined): void {
    this.show(atMs)
    this.settle()
  }

  /** Shows the page as it was just after the last of these events, and lists them. */
  pick(events: readonly TimelineEvent[]): void {
    const last = events.at(-1)
    if (!last) return
    this.open(last.atMs)
    this.picked.value = events
  }

  settle(): void {
    this.#parts.onSettled(this.atMs.value)
  }

  /** The event before (-1) or after (1) the moment that is shown. */
  step(by: -1 | 1): void {
    const from = this.atMs.value ?? Number.POSITIVE_INFINITY
    const { value: events } = this.events
    const next = by < 0 ? events.findLast(({ atMs }) => atMs < from) : events.find(({ atMs }) => atMs > from)
    if (next || by > 0) this.open(next?.atMs)
  }

  zoom(factor: number, place: number): void {
    const { value: fixed } = this.#fixed
    if (fixed) this.#fixed.value = zoom(fixed, factor, place)
    else this.#spanMs.value = spanOf(zoom(this.window.value, factor, 1))
  }

  pan(part: number): void {
    const { value: nowMs } = this.#parts.nowMs
    const moved = pan(this.window.value, part, nowMs)
    const isNewest = moved.toMs >= windowUpTo(nowMs, spanOf(moved)).toMs
    this.#spanMs.value = spanOf(moved)
    this.#fixed.value = isNewest && this.atMs.value === undefined ? undefined : moved
  }

  #remember(observed: Observed): void {
    // Before every kind has answered, whatever comes would look like a change.
    if (observed.records.sight === 'waiting' || observed.leases.sight === 'waiting') return
    const last = this.#last
    this.#last = observed
    this.#moments.remember(observed)
    const after = statusOf(observed, observed.atMs)
    const events =
      last === undefined
        ? eventsBefore(observed, after)
        : changesBetween(statusOf(last, last.atMs), after, observed.atMs)
    if (events.length > 0) this.#seen.value = [...this.#seen.value, ...events].slice(-mostEvents)
    // A link may name a moment that is known only now.
    if (last === undefined && this.atMs.value !== undefined) this.show(this.atMs.value)
  }
}
