/** Callbacks while a response arrives. */
export interface AnswerListener {
  onHead(status: number): void
  onBody(part: Buffer): void
  onEnd(): void
}

const endOfHead = Buffer.from('\r\n\r\n')
const endOfLine = Buffer.from('\r\n')

/** Reads HTTP/1.1 answers from the parts in which they arrive. Only what servers of Kubernetes send: length or chunks. */
export class Http1AnswerReader {
  readonly #listener: AnswerListener
  #rest: Buffer = Buffer.alloc(0)
  #state: 'head' | 'chunk-size' | 'body' | 'chunk' | 'chunk-end' | 'trailer' = 'head'
  /** Bytes that are missing of the body or the chunk. */
  #missing = 0

  constructor(listener: AnswerListener) {
    this.#listener = listener
  }

  push(part: Buffer): void {
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, part]) : part
    for (let used = this.#step(bytes); used > 0 && bytes.length > 0; used = this.#step(bytes)) {
      bytes = bytes.subarray(used)
    }
    this.#rest = bytes
  }

  /** How many bytes it has used; none if it has to wait for more. */
  #step(bytes: Buffer): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(bytes)
      case 'chunk-size': {
        const end = bytes.indexOf(endOfLine)
        if (end < 0) return 0
        this.#missing = Number.parseInt(bytes.toString('latin1', 0, end), 16)
        this.#state = this.#missing === 0 ? 'trailer' : 'chunk'
        return end + endOfLine.length
      }
      case 'chunk-end':
      case 'trailer': {
        if (bytes.length < endOfLine.length) return 0
        const isLast = this.#state === 'trailer'
        this.#state = isLast ? 'head' : 'chunk-size'
        if (isLast) this.#listener.onEnd()
        return endOfLine.length
      }
      case 'body':
      case 'chunk':
        return this.#readBody(bytes)
    }
  }

  #readHead(bytes: Buffer): number {
    const end = bytes.indexOf(endOfHead)
    if (end < 0) return 0
    const head = bytes.toString('latin1', 0, end)
    this.#listener.onHead(Number(head.slice(9, 12)))
    const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? []
    this.#state = length === undefined ? 'chunk-size' : 'body'
    this.#missing = Number(length ?? 0)
    if (length === '0') {
      this.#state = 'head'
      this.#listener.onEnd()
    }
    return end + endOfHead.length
  }

  #readBody(bytes: Buffer): number {
    const used = Math.min(bytes.length, this.#missing)
    this.#missing -= used
    if (used > 0) this.#listener.onBody(bytes.subarray(0, used))
    if (this.#missing > 0) return used
    if (this.#state === 'chunk') this.#state = 'chunk-end'
    else {
      this.#state = 'head'
      this.#listener.onEnd()
    }
    return used
  }
}
