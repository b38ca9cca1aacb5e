import type { HttpBody } from '@strata/world'

type Stream = Exclude<HttpBody, Uint8Array>

/**
 * Returns the same stream, observed. Written by hand because events for hundreds of watches pass here: the reader gets the
 * promises of the source, without an extra turn of the event loop.
 */
export function observeBody(
  body: Stream,
  observer: { readonly onChunk?: (chunk: Uint8Array) => void; readonly onEnd: (isWhole: boolean) => void },
): Stream {
  return {
    [Symbol.asyncIterator]: () => {
      const source = body[Symbol.asyncIterator]()
      let ended = false
      const end = (isWhole: boolean): void => {
        if (ended) return
        ended = true
        observer.onEnd(isWhole)
      }
      return {
        next: () => {
          const result = source.next()
          result.then(
            ({ done, value }) => (done ? end(true) : observer.onChunk?.(value)),
            () => end(false),
          )
          return result
        },
        return: async () => {
          end(false)
          await source.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}
