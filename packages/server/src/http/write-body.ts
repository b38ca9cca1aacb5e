import type { Writable } from 'node:stream'
import type { HttpBody } from '@strata/world'

/** Writes at the reader's pace: the next chunk is requested when the last one has been sent. */
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
 * Ends a body that no client will read, so that its producer does not wait for ever. It is started first, because a
 * generator that has not started does not run its `finally`.
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
