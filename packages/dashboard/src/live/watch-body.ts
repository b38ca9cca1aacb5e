import { abortable, type HttpResponse, utf8 } from '@strata/world'

/** The answer of one watch, whose lines arrive among those of others. Its reader takes them at its own pace. */
export class WatchBody {
  readonly #signal: AbortSignal
  readonly #answer = Promise.withResolvers<HttpResponse>()
  #lines: Uint8Array[] = []
  #arrived = Promise.withResolvers<void>()
  #isOver = false
  #error: unknown

  constructor(signal: AbortSignal) {
    this.#signal = signal
    // Lines for a reader that has left would pile up.
    signal.addEventListener('abort', () => this.end(signal.reason), { once: true })
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Resolves with the first line, or when the watch is refused or ends. */
  answer(): Promise<HttpResponse> {
    return abortable(this.#answer.promise, this.#signal)
  }

  /** Answers with something else than events. Too late once there was an event: then the watch just ends. */
  give(answer: HttpResponse): void {
    this.#answer.resolve(answer)
    this.end()
  }

  event(event: unknown): void {
    if (this.#isOver) return
    this.#lines.push(utf8.encode(`${JSON.stringify(event)}\n`))
    this.#begin()
    this.#wake()
  }

  end(error?: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#error = error
    if (error === undefined) this.#begin()
    else this.#answer.reject(error)
    // Without a reader, the failure has been told already.
    this.#answer.promise.catch(() => {})
    this.#wake()
  }

  #begin(): void {
    this.#answer.resolve({ status: 200, headers: {}, body: this.#read() })
  }

  #wake(): void {
    this.#arrived.resolve()
    this.#arrived = Promise.withResolvers()
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const lines = this.#lines
      this.#lines = []
      yield* lines
      if (this.#lines.length > 0) continue
      if (this.#isOver) {
        if (this.#error !== undefined) throw this.#error
        return
      }
      await abortable(this.#arrived.promise, this.#signal)
    }
  }
}
