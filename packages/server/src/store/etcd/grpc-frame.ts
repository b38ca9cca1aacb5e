import { Buffer } from 'node:buffer'
import { MalformedMessage } from './wire.ts'

/** gRPC over HTTP/2 puts five bytes before each message: a flag for compression, and the length. */
export const FRAME_HEADER_BYTES = 5

/** Far above what etcd sends; only keeps garbage from asking for all memory. */
const MESSAGE_BYTES_MAX = 1 << 30

/** Fills the five bytes that the encoder left free. */
export function seal(frame: Buffer): Buffer {
  frame[0] = 0
  frame.writeUInt32BE(frame.length - FRAME_HEADER_BYTES, 1)
  return frame
}

/**
 * Cuts a stream of chunks into messages. Each message is copied once into memory of its own: the chunks are
 * views of the socket's read buffer, and a value kept in a cache would keep all 64 KiB of it alive.
 */
export class FrameReader {
  readonly #header = Buffer.alloc(FRAME_HEADER_BYTES)
  #headerLength = 0
  #message: Buffer | undefined
  #messageLength = 0
  readonly #maxBytes: number

  constructor(maxBytes: number = MESSAGE_BYTES_MAX) {
    this.#maxBytes = maxBytes
  }

  /** Hands each message that the chunk completes to `deliver`. */
  push(chunk: Buffer, deliver: (message: Buffer) => void): void {
    let at = 0
    for (;;) {
      if (!this.#message) {
        const taken = chunk.copy(this.#header, this.#headerLength, at)
        at += taken
        this.#headerLength += taken
        if (this.#headerLength < FRAME_HEADER_BYTES) return
        const length = this.#header.readUInt32BE(1)
        if (this.#header[0] !== 0 || length > this.#maxBytes) {
          throw new MalformedMessage(
            'the stream holds no gRPC frame, or a compressed one, or one that is too long',
          )
        }
        this.#headerLength = 0
        this.#message = Buffer.allocUnsafeSlow(length)
        this.#messageLength = 0
      }
      const taken = chunk.copy(this.#message, this.#messageLength, at)
      at += taken
      this.#messageLength += taken
      if (this.#messageLength < this.#message.length) return
      const message = this.#message
      this.#message = undefined
      deliver(message)
    }
  }
}
