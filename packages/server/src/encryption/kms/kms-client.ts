import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from 'node:http2'
import { connect as connectSocket } from 'node:net'
import { type Clock, deadline } from '@strata/world'
import { FrameReader, rpcErrorOf, sealFrame } from '../../store/index.ts'
import {
  decodeDecryptResponse,
  decodeEncryptResponse,
  decodeStatus,
  encodeDecryptRequest,
  encodeEncryptRequest,
  encodeStatusRequest,
  type KmsStatus,
  type Wrapped,
} from './kms-messages.ts'

/** Far above what a plugin may send (`check-wrapped.ts`), and the default of gRPC clients. */
const maxAnswerBytes = 4 << 20

/**
 * A KMS plugin (`v2.KeyManagementService`). Every call may be retried. It fails with `RpcError` if the plugin answered with an
 * error, and with any other error if it did not answer, or not in gRPC.
 */
export interface KmsClient {
  status(signal: AbortSignal): Promise<KmsStatus>
  encrypt(plaintext: Uint8Array, uid: string, signal: AbortSignal): Promise<Wrapped>
  decrypt(wrapped: Wrapped, uid: string, signal: AbortSignal): Promise<Uint8Array>
  close(): void
}

/** Connects over the plugin's socket on the first call, and again after a lost connection. */
export function createKmsClient(socket: string, timeoutMs: number, clock: Clock): KmsClient {
  let session: ClientHttp2Session | undefined
  const current = (): ClientHttp2Session => {
    if (session && !session.closed && !session.destroyed) return session
    const opened = connect('http://localhost', {
      createConnection: () => connectSocket({ path: socket }),
      settings: { enablePush: false },
    })
    // A pending call gets its error from its stream.
    opened.on('error', () => opened.destroy())
    opened.on('goaway', () => opened.close())
    opened.unref()
    session = opened
    return opened
  }
  const ask = async (method: string, frame: Buffer, signal: AbortSignal): Promise<Buffer> => {
    const limit = deadline(clock, timeoutMs, signal)
    try {
      return await callOnce(current(), `/v2.KeyManagementService/${method}`, frame, limit.signal)
    } finally {
      limit.dispose()
    }
  }
  return {
    status: async (signal) => decodeStatus(await ask('Status', encodeStatusRequest(), signal)),
    encrypt: async (plaintext, uid, signal) =>
      decodeEncryptResponse(await ask('Encrypt', encodeEncryptRequest(plaintext, uid), signal)),
    decrypt: async (wrapped, uid, signal) =>
      decodeDecryptResponse(await ask('Decrypt', encodeDecryptRequest(wrapped, uid), signal)),
    close: () => session?.destroy(),
  }
}

function callOnce(
  session: ClientHttp2Session,
  path: string,
  frame: Buffer,
  signal: AbortSignal,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/grpc', te: 'trailers' }
    const stream = session.request({ ':method': 'POST', ':path': path, ...headers }, { endStream: false })
    const frames = new FrameReader(maxAnswerBytes)
    let answer: Buffer | undefined
    let isComplete = false
    let failure: Error | undefined
    const onAbort = (): void => {
      reject(signal.reason)
      stream.close(constants.NGHTTP2_CANCEL)
      // A plugin that does not answer one call may not answer the next on the same connection either.
      session.destroy()
    }
    const onHeaders = (got: IncomingHttpHeaders): void => {
      failure ??= rpcErrorOf(got, 'the plugin')
      isComplete ||= got['grpc-status'] !== undefined
    }
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    stream.on('response', onHeaders)
    stream.on('trailers', onHeaders)
    stream.on('data', (chunk: Buffer) => {
      // An error thrown in an event handler would end the process.
      try {
        frames.push(chunk, (message) => {
          answer = message
        })
      } catch (error) {
        failure ??= error as Error
        stream.close(constants.NGHTTP2_CANCEL)
      }
    })
    stream.on('error', (error) => {
      failure ??= error
    })
    stream.on('close', () => {
      signal.removeEventListener('abort', onAbort)
      if (answer && isComplete && !failure) resolve(answer)
      else reject(failure ?? new Error('the plugin closed the connection'))
    })
    stream.end(sealFrame(frame))
  })
}
