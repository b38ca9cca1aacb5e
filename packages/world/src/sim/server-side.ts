import type { HttpRequest, HttpResponse, Transport } from '../transport.ts'
import type { SimProcess } from './sim-process.ts'

/** Messages from the server's half of an exchange to the client, in order. */
export interface Downstream {
  head(response: HttpResponse): void
  chunk(bytes: Uint8Array): void
  end(): void
  /** The server's function or its stream failed: the client sees a broken connection. */
  reset(cause: unknown): void
}

/** Runs the server's function in the server's process and sends its stream as far as there is credit. */
export class ServerSide {
  readonly process: SimProcess
  readonly #server: Transport
  readonly #downstream: Downstream
  readonly #controller = new AbortController()
  #credit: number
  #finished: boolean = false
  #wake: (() => void) | undefined
  #stream: AsyncIterator<Uint8Array> | undefined

  constructor(process: SimProcess, server: Transport, downstream: Downstream, credit: number) {
    this.process = process
    this.#server = server
    this.#downstream = downstream
    this.#credit = credit
  }

  async serve(request: Omit<HttpRequest, 'signal'>): Promise<void> {
    const { signal } = this.#controller
    try {
      const { status, headers, body } = await this.#server({ ...request, signal })
      if (!signal.aborted) this.#downstream.head({ status, headers: { ...headers }, body })
      if (body instanceof Uint8Array) return
      const stream = body[Symbol.asyncIterator]()
      this.#stream = stream
      if (signal.aborted) quietly(stream)
      else await this.#pump(stream, signal)
    } catch (error) {
      if (!signal.aborted) this.#downstream.reset(error)
    } finally {
      this.#finished = true
    }
  }

  /** The client has read one chunk more. */
  addCredit(): void {
    this.#credit++
    this.#wake?.()
  }

  /** The client is gone, or the way to it. */
  stop(reason: Error): void {
    if (this.#finished) return
    this.#controller.abort(reason)
    this.#wake?.()
    // A stream may sleep without looking at the signal: end it as a reader would, through its iterator.
    if (this.#stream) quietly(this.#stream)
  }

  async #pump(stream: AsyncIterator<Uint8Array>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // Credit before pulling: a stream whose reader is slow is not even asked for its next chunk.
      if (this.#credit === 0) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        continue
      }
      const result = await stream.next()
      if (signal.aborted) return
      if (result.done) return this.#downstream.end()
      this.#credit--
      this.#downstream.chunk(result.value)
    }
  }
}

function quietly(stream: AsyncIterator<Uint8Array>): void {
  stream.return?.().catch(() => {})
}
