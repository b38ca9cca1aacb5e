import type { Clock } from '@strata/world'
import type { SignIn } from './sign-in.ts'

const pauseMs = 20_000

/**
 * Sign-in links, for the user at the terminal. Every client may ask for one, because it is shown only there. So a client that asks
 * again and again gets the user no second link for a while: else it could fill the terminal.
 */
export class SignInLinks {
  readonly #signIn: SignIn
  readonly #clock: Clock
  readonly #print: (link: string) => void
  readonly #url: () => string
  #shownMs = Number.NEGATIVE_INFINITY

  constructor(options: {
    readonly signIn: SignIn
    readonly clock: Clock
    readonly print: (link: string) => void
    /** The address of the page. */
    readonly url: () => string
  }) {
    this.#signIn = options.signIn
    this.#clock = options.clock
    this.#print = options.print
    this.#url = options.url
  }

  /** The code is in the fragment: a browser sends it to no server by itself, and no log has it. */
  create(): string {
    return `${this.#url()}#code=${this.#signIn.createCode()}`
  }

  /** Prints a new link, unless one was printed just now. */
  show(): void {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#shownMs < pauseMs) return
    this.#shownMs = nowMs
    this.#print(this.create())
  }
}
