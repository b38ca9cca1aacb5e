import type { Cancel, Clock } from '@strata/world'

export interface KeepaliveTiming {
  /** How long a peer that owes an answer may be silent before it is pinged. */
  readonly silenceMs: number
  /** etcd ends connections that ping more often than every 5 s, unless it sent something in between. */
  readonly pingGapMs: number
  /** How long the answer to a ping may take. */
  readonly answerMs: number
}

/**
 * Notices a peer that is gone silently: killed with its machine, cut off, or stopped. Silence alone proves nothing, because a
 * watch may have no events for hours. After silence the keepalive pings, and only an unanswered ping counts. It pings only while
 * streams are open, because etcd treats pings on an idle connection as abuse.
 */
export class Keepalive {
  readonly #clock: Clock
  readonly #timing: KeepaliveTiming
  readonly #ping: (answered: () => void) => void
  readonly #dead: () => void
  #open = 0
  #heard: boolean = false
  #heardSincePing: boolean = true
  #lastPingMs = 0
  #cancel: Cancel | undefined
  #stopped: boolean = false

  constructor(
    clock: Clock,
    timing: KeepaliveTiming,
    ping: (answered: () => void) => void,
    /** Called at most once. */
    dead: () => void,
  ) {
    this.#clock = clock
    this.#timing = timing
    this.#ping = ping
    this.#dead = dead
  }

  heard(): void {
    this.#heard = true
    this.#heardSincePing = true
  }

  streamOpened(): void {
    this.#open++
    if (!this.#cancel) this.#arm(this.#timing.silenceMs)
  }

  streamClosed(): void {
    this.#open--
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
  }

  #arm(delayMs: number): void {
    if (this.#stopped) return
    this.#heard = false
    this.#cancel = this.#clock.after(delayMs, () => this.#look())
  }

  #look(): void {
    this.#cancel = undefined
    if (this.#open === 0) return
    const { silenceMs, pingGapMs, answerMs } = this.#timing
    const now = this.#clock.monotonicMs()
    const nextPingMs = this.#heardSincePing ? now : this.#lastPingMs + pingGapMs
    if (this.#heard || now < nextPingMs) {
      this.#arm(Math.max(silenceMs, nextPingMs - now))
      return
    }
    this.#lastPingMs = now
    this.#heardSincePing = false
    let answered = false
    this.#ping(() => {
      answered = true
    })
    this.#cancel = this.#clock.after(answerMs, () => {
      this.#cancel = undefined
      if (answered || this.#heardSincePing) this.#arm(silenceMs)
      else if (!this.#stopped) {
        this.#stopped = true
        this.#dead()
      }
    })
  }
}
