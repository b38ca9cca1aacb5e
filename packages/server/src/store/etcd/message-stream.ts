import type { Buffer } from 'node:buffer'
import { constants, type IncomingHttpHeaders } from 'node:http2'
import { wasSent } from './call.ts'
import { FrameReader, seal } from './grpc-frame.ts'
import { errorOf } from './grpc-status.ts'
import type { Session } from './session.ts'

/** Above this the stream is paused; HTTP/2's window then holds back the peer. */
const QUEUE_BYTES_MAX = 1 << 20

/** A stream of messages, read at the reader's pace. */
export interface MessageStream {
  /** The next message. `undefined` after `close` or abort; throws `RpcError` when the stream breaks. */
  next(): Promise<Buffer | undefined>
  close(): void
}

/** Sends one message and leaves the sending side open, as etcd's watch requires. */
export function openStream(
  session: Session,
  path: string,
  frame: Buffer,
  signal: AbortSignal,
): MessageStream {
  const stream = session.open(path)
  const frames = new FrameReader()
  const queue: Buffer[] = []
  let queuedBytes = 0
  let closed = false
  let failure: Error | undefined
  let wake: (() => void) | undefined

  const close = (): void => {
    if (closed) return
    closed = true
    signal.removeEventListener('abort', close)
    stream.close(constants.NGHTTP2_CANCEL)
    wake?.()
  }
  const fail = (error: Error): void => {
    failure ??= error
    wake?.()
  }
  const onStatus = (headers: IncomingHttpHeaders): void => {
    session.heard()
    const error = errorOf(headers, 'etcd')
    if (error) fail(error)
  }
  stream.on('response', onStatus)
  stream.on('trailers', onStatus)
  stream.on('data', (chunk: Buffer) => {
    session.heard()
    try {
      frames.push(chunk, (message) => {
        queue.push(message)
        queuedBytes += message.length
      })
    } catch (error) {
      stream.destroy(error as Error)
      return
    }
    if (queuedBytes > QUEUE_BYTES_MAX) stream.pause()
    if (queue.length > 0) wake?.()
  })
  let streamError: Error | undefined
  stream.on('error', (error) => {
    streamError = error
  })
  stream.on('close', () => {
    signal.removeEventListener('abort', close)
    fail(session.lost(wasSent(stream, session), streamError))
  })
  if (signal.aborted) close()
  else {
    signal.addEventListener('abort', close, { once: true })
    stream.write(seal(frame))
  }

  return {
    close,
    async next() {
      for (;;) {
        if (closed) return undefined
        const message = queue.shift()
        if (message) {
          queuedBytes -= message.length
          if (stream.isPaused() && queuedBytes <= QUEUE_BYTES_MAX / 2) stream.resume()
          return message
        }
        if (failure) throw failure
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        wake = undefined
      }
    },
  }
}
