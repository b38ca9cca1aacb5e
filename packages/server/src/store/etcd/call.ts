import type { Buffer } from 'node:buffer'
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2'
import { GRPC, RpcError } from './classify-error.ts'
import { FrameReader, seal } from './grpc-frame.ts'
import { errorOf } from './grpc-status.ts'
import type { Session } from './session.ts'

/** Sends one message and receives one. Throws `RpcError`. */
export function callUnary(
  session: Session,
  path: string,
  frame: Buffer,
  signal: AbortSignal,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) throw new RpcError(GRPC.cancelled, 'cancelled before it was sent', false)
    const stream = session.open(path)
    const frames = new FrameReader()
    let answer: Buffer | undefined
    let failure: Error | undefined
    let settled = false

    const onAbort = (): void => {
      settled = true
      reject(new RpcError(GRPC.cancelled, 'cancelled while waiting for etcd', wasSent(stream, session)))
      stream.close(constants.NGHTTP2_CANCEL)
    }
    const onStatus = (headers: IncomingHttpHeaders): void => {
      session.heard()
      const error = errorOf(headers, 'etcd')
      if (error) reject(error)
      else if (answer && headers['grpc-status'] !== undefined) resolve(answer)
      else return
      settled = true
    }
    signal.addEventListener('abort', onAbort, { once: true })
    stream.on('response', onStatus)
    stream.on('trailers', onStatus)
    stream.on('data', (chunk: Buffer) => {
      session.heard()
      try {
        frames.push(chunk, (message) => {
          answer = message
        })
      } catch (error) {
        stream.destroy(error as Error)
      }
    })
    stream.on('error', (error) => {
      failure = error
    })
    stream.on('close', () => {
      signal.removeEventListener('abort', onAbort)
      // An error costs a stack trace; every call ends here, and nearly all have their answer.
      if (!settled) reject(session.lost(wasSent(stream, session), failure))
    })
    stream.end(seal(frame))
  })
}

/**
 * A stream that the peer refused, or that never left the queue, has certainly not been acted upon. For any other stream it is
 * unknown how far its bytes went. A peer that ends the whole connection with this code says nothing about one stream; Node gives
 * all of them that code.
 */
export function wasSent(stream: ClientHttp2Stream, { goawayCode }: Pick<Session, 'goawayCode'>): boolean {
  const { NGHTTP2_REFUSED_STREAM } = constants
  const isRefused = stream.rstCode === NGHTTP2_REFUSED_STREAM && goawayCode !== NGHTTP2_REFUSED_STREAM
  return !stream.pending && !isRefused
}
