import { AsyncQueue } from '../async-queue.ts'
import { type HttpResponse, TransportError } from '../transport.ts'
import type { SimProcess } from './sim-process.ts'

/** Messages from the client's half of an exchange to the server. */
export interface Upstream {
  /** One chunk was read: there is room for another. */
  credit(): void
  /** The client is done: it has read the whole response, or it has aborted. */
  close(how: 'complete' | 'early'): void
}

/** The promise and the stream that the client's process waits for. */
export class ClientSide {
  readonly process: SimProcess
  readonly answer: Promise<HttpResponse>
  readonly #signal: AbortSignal
  readonly #upstream: Upstream
  readonly #settle: PromiseWithResolvers<HttpResponse> = Promise.withResolvers()
  readonly #chunks: AsyncQueue<Uint8Array>
  #done: boolean = false

  constructor(process: SimProcess, signal: AbortSignal, upstream: Upstream, windowChunks: number) {
    this.process = process
    this.answer = this.#settle.promise
    this.#signal = signal
    this.#upstream = upstream
    this.#chunks = new AsyncQueue({ limit: windowChunks, onReturn: () => this.#finish('early') })
    signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  head({ status, headers, body }: HttpResponse): void {
    if (this.#done) return
    if (body instanceof Uint8Array) {
      this.#finish('complete')
      this.#settle.resolve({ status, headers, body })
    } else {
      this.#settle.resolve({ status, headers, body: { [Symbol.asyncIterator]: () => this.#reader() } })
    }
  }

  chunk(bytes: Uint8Array): void {
    this.#chunks.push(bytes)
  }

  end(): void {
    if (this.#done) return
    this.#finish('complete')
    this.#chunks.close()
  }

  fail(error: TransportError): void {
    if (this.#done) return
    this.#finish('complete')
    this.#settle.reject(error)
    this.#chunks.fail(
      new TransportError(`the answer broke off: ${error.message}`, 'unknown', { cause: error }),
    )
  }

  /** The process has crashed: its promises stay unsettled, but the server must see the closed connection. */
  abandon(): void {
    this.#finish('early')
  }

  /** Rejects at once, whatever is in flight: the caller has stopped waiting. */
  readonly #onAbort = (): void => {
    if (this.#done) return
    this.#finish('early')
    this.#settle.reject(this.#signal.reason)
    this.#chunks.clear()
    this.#chunks.fail(this.#signal.reason)
  }

  #finish(how: 'complete' | 'early'): void {
    if (this.#done) return
    this.#done = true
    this.#signal.removeEventListener('abort', this.#onAbort)
    this.#upstream.close(how)
  }

  #reader(): AsyncIterator<Uint8Array, undefined> {
    return {
      next: async () => {
        const result = await this.#chunks.next()
        if (!result.done && !this.#done) this.#upstream.credit()
        return result
      },
      return: () => this.#chunks.return(),
    }
  }
}
