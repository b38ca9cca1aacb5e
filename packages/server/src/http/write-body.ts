import type { Writable } from 'node:stream'
import type { HttpBody } from '@strata/world'

/** At the reader's pace: the next chunk is asked for when the last one has been taken. */
export async function writeBody(
  body: Exclude<HttpBody, Uint8Array>,
  outgoing: Writable,
  signal: AbortSignal,
): Promise<void> {
  for await (const chunk of body) {
    if (signal.aborted) return
    if (!outgoing.write(chunk)) await drained(outgoing, signal)
    if (signal.aborted) return
  }
  outgoing.end()
}

/**
 * For a body that nobody will read: whoever waits for its end must not wait for ever. It is begun first, because what a
 * generator does in the end is not done by one that has never begun.
 */
export async function abandonBody(body: HttpBody): Promise<void> {
  if (body instanceof Uint8Array) return
  for await (const _ of body) return
}

function drained(outgoing: Writable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off('drain', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    outgoing.once('drain', done)
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
  })
}
