import type { Readable } from 'node:stream'
import { timeout, tooLarge } from '@strata/api'
import type { Clock } from '@strata/world'

/** As long as any request may take. A client that needs longer to send its body is not served. */
const bodyMs = 60_000

export interface BodySource {
  readonly stream: Readable
  readonly contentLength: string | undefined
  readonly signal: AbortSignal
}

/** The whole body, if it is neither too large nor too slow. */
export function readBody(source: BodySource, limitBytes: number, clock: Clock): Promise<Uint8Array> {
  const { stream, contentLength, signal } = source
  if (Number(contentLength ?? 0) > limitBytes) return Promise.reject(tooLarge(limitBytes))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const settle = (act: () => void): void => {
      cancel()
      signal.removeEventListener('abort', onGone)
      act()
    }
    const onGone = (): void => settle(() => reject(signal.reason))
    const cancel = clock.after(bodyMs, () =>
      settle(() => reject(timeout('Timeout: request did not complete within the allotted timeout'))),
    )
    signal.addEventListener('abort', onGone, { once: true })
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length
      // The rest is read and dropped: a destroyed socket could not carry the answer.
      if (length > limitBytes) settle(() => reject(tooLarge(limitBytes)))
      else chunks.push(chunk)
    })
    stream.on('end', () => settle(() => resolve(joined(chunks))))
    stream.on('error', (error) => settle(() => reject(error)))
    if (signal.aborted) onGone()
  })
}

function joined(chunks: readonly Buffer[]): Uint8Array {
  const [only] = chunks
  return chunks.length === 1 && only ? only : Buffer.concat(chunks)
}

/**
 * The body as it arrives, at the reader's pace. A reader that stops early drops the rest: a destroyed stream could not carry the
 * answer.
 */
export async function* streamBody(stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* stream.iterator({ destroyOnReturn: false })
  } finally {
    stream.resume()
  }
}
