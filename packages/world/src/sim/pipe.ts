export interface PipeParts {
  readonly schedule: (label: string, callback: () => void) => void
  readonly isCut: () => boolean
}

/**
 * One direction of one connection: messages take a random time but arrive in order, as in TCP. While
 * the way is cut they wait, and arrive together when it heals.
 */
export class Pipe {
  readonly #parts: PipeParts
  readonly #inFlight: (() => void)[] = []
  #due = 0
  #shut: boolean = false

  constructor(parts: PipeParts) {
    this.#parts = parts
  }

  send(label: string, deliver: () => void): void {
    if (this.#shut) return
    this.#inFlight.push(deliver)
    // The event lets the first waiting message arrive, not this one: that keeps the order.
    this.#parts.schedule(label, () => {
      this.#due++
      this.flush()
    })
  }

  flush(): void {
    while (this.#due > 0 && !this.#parts.isCut()) {
      this.#due--
      this.#inFlight.shift()?.()
    }
  }

  /** Takes no more. After one message is lost, none may pass, or a stream would have a hole. */
  shut(): void {
    this.#shut = true
  }

  /** The connection is broken: what is in flight never arrives. */
  break(): void {
    this.#shut = true
    this.#inFlight.length = 0
  }
}
