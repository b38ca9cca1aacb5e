import type { IncomingMessage } from 'node:http'
import { TransportError } from '../transport.ts'

/**
 * The bytes of an answer, pulled from the socket at the reader's pace. Written by hand and not as a
 * generator, because `return()` of a generator waits for its pending `next()`: a reader that gives up
 * a silent watch would never get its socket closed.
 */
export function responseBody(response: IncomingMessage, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const source: AsyncIterator<Uint8Array> = response[Symbol.asyncIterator]()
  let stopped = false
  const iterator: AsyncIterator<Uint8Array, undefined> = {
    next: async () => {
      if (stopped) return { done: true, value: undefined }
      signal.throwIfAborted()
      try {
        const result = await source.next()
        signal.throwIfAborted()
        if (!result.done) return { done: false, value: result.value }
        return { done: true, value: undefined }
      } catch (error) {
        if (stopped) return { done: true, value: undefined }
        stopped = true
        response.destroy()
        signal.throwIfAborted()
        throw new TransportError('the answer broke off', 'unknown', { cause: error })
      }
    },
    return: async () => {
      stopped = true
      response.destroy()
      return { done: true, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}
