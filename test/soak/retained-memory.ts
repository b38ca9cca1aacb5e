import type { StrataProcess } from '../support/serve-process.ts'
import { until } from '../support/until.ts'

export interface MemorySample {
  readonly atMs: number
  /** The memory after a full collection: on the heap, and in buffers and native objects beside it. */
  readonly heldBytes: number
  readonly residentBytes: number
}

/** Servers are started with `--inspect=127.0.0.1:0`: the inspector collects garbage, so that only what is held is counted. */
export const inspectorOption = '--inspect=127.0.0.1:0'

/** Reads what a server process holds in memory. */
export class RetainedMemory {
  readonly #socket: WebSocket
  #calls = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
  }

  static async of(server: StrataProcess): Promise<RetainedMemory> {
    const url = await until(
      `the inspector of ${server.name} listens`,
      () => /Debugger listening on (ws:\S+)/.exec(server.output)?.[1],
    )
    const socket = new WebSocket(url)
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve(), { once: true })
      socket.addEventListener('error', () => reject(new Error(`no inspector at ${url}`)), { once: true })
    })
    return new RetainedMemory(socket)
  }

  async sample(atMs: number): Promise<MemorySample> {
    await this.#call('HeapProfiler.collectGarbage', {})
    const { result } = (await this.#call('Runtime.evaluate', {
      expression: 'JSON.stringify(process.memoryUsage())',
    })) as { readonly result: { readonly value: string } }
    const usage = JSON.parse(result.value) as NodeJS.MemoryUsage
    // `external` has the array buffers in it.
    return { atMs, heldBytes: usage.heapUsed + usage.external, residentBytes: usage.rss }
  }

  close(): void {
    this.#socket.close()
  }

  #call(method: string, params: object): Promise<unknown> {
    const id = ++this.#calls
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const onMessage = ({ data }: MessageEvent): void => {
      const answer = JSON.parse(String(data)) as { readonly id?: number; readonly result?: unknown }
      if (answer.id !== id) return
      this.#socket.removeEventListener('message', onMessage)
      resolve(answer.result)
    }
    this.#socket.addEventListener('message', onMessage)
    this.#socket.send(JSON.stringify({ id, method, params }))
    return promise
  }
}
