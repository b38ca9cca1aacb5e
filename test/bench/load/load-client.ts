/** Sends requests with as little work as it can, so that the server is measured and not its client. */
export interface LoadClient {
  /** Resolves when the whole answer has been read. */
  request(method: string, target: string, body?: Buffer, accept?: string): Promise<LoadAnswer>
  /** Tells of each line that arrives, which on a watch is an event. Resolves when the stream has begun. */
  watch(target: string, onLines: (count: number) => void): Promise<void>
  close(): void
}

export interface LoadAnswer {
  readonly status: number
  /** How the body begins, as far as it came in one piece; the rest is thrown away. */
  readonly beginning: Buffer
}

export interface LoadTarget {
  readonly url: string
  readonly token: string
  /** Without it any certificate is taken: a benchmark sends nothing that is worth stealing but its token. */
  readonly ca?: string
}

/** The default media type. */
export const json = 'application/json'

export type HttpVersion = '1' | '2'

const lineFeed = 0x0a

export function countLines(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) count++
  return count
}
