/** HTTP/2's frame types that a peer has to answer, or answers with. */
const frame = { headers: 1, rstStream: 3, settings: 4, ping: 6 } as const
const ackFlag = 1
const headerBytes = 9
/** "PRI * HTTP/2.0…", which a client sends before its first frame. */
const prefaceBytes = 24

/** Reads the headers of frames out of a stream of bytes, however it is cut into chunks. */
class FrameHeaders {
  readonly #take: (type: number, flags: number, stream: number) => void
  #skip: number
  #header = Buffer.alloc(0)

  constructor(skip: number, take: (type: number, flags: number, stream: number) => void) {
    this.#skip = skip
    this.#take = take
  }

  push(chunk: Buffer): void {
    for (let rest = chunk; rest.length > 0; ) {
      const skipped = Math.min(this.#skip, rest.length)
      this.#skip -= skipped
      rest = rest.subarray(skipped)
      const missing = rest.subarray(0, headerBytes - this.#header.length)
      this.#header = Buffer.concat([this.#header, missing])
      rest = rest.subarray(missing.length)
      if (this.#header.length < headerBytes) return
      const header = this.#header
      this.#skip = header.readUIntBE(0, 3)
      this.#header = Buffer.alloc(0)
      this.#take(header.readUInt8(3), header.readUInt8(4), header.readUInt32BE(5) & 0x7fffffff)
    }
  }
}

/** What a client of one HTTP/2 connection has asked for and has not been answered: streams, pings, settings. */
export class Http2Tally {
  readonly #streams = new Set<number>()
  #acks = 0
  readonly #requests = new FrameHeaders(prefaceBytes, (type, flags, stream) => {
    if (type === frame.headers) this.#streams.add(stream)
    else if (type === frame.rstStream) this.#streams.delete(stream)
    else if (isAcknowledged(type) && (flags & ackFlag) === 0) this.#acks++
  })
  readonly #answers = new FrameHeaders(0, (type, flags, stream) => {
    this.#streams.delete(stream)
    if (isAcknowledged(type) && (flags & ackFlag) !== 0) this.#acks--
  })

  get unanswered(): number {
    return this.#streams.size + this.#acks
  }

  get unacknowledged(): number {
    return this.#acks
  }

  request(chunk: Buffer): void {
    this.#requests.push(chunk)
  }

  answer(chunk: Buffer): void {
    this.#answers.push(chunk)
  }
}

const isAcknowledged = (type: number): boolean => type === frame.settings || type === frame.ping
