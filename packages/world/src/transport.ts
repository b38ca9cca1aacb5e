/** Header names are lower case; a header that occurs several times is a list. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[]>>

export interface HttpRequest {
  readonly method: string
  /** Path and query, as on the request line. */
  readonly target: string
  readonly headers: HttpHeaders
  readonly body?: Uint8Array | undefined
  readonly signal: AbortSignal
}

/** Either all of the bytes, or a stream of them that is read at the reader's pace. */
export type HttpBody = Uint8Array | AsyncIterable<Uint8Array>

export interface HttpResponse {
  readonly status: number
  readonly headers: HttpHeaders
  readonly body: HttpBody
  /** The answer of another server: it is sent as it is, in the form and encoding that it has. */
  readonly isFinal?: boolean
}

/**
 * How a client reaches a server. The real one opens sockets; the simulated one calls the server's
 * function and delays, drops or repeats what passes.
 */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>

/**
 * The request failed without an HTTP answer. `reached` says whether the server may have acted on it:
 * `no` may be retried blindly, `unknown` only after reading back.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly reached: 'no' | 'unknown'
  constructor(message: string, reached: 'no' | 'unknown', options?: ErrorOptions) {
    super(message, options)
    this.reached = reached
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
export const utf8 = {
  encode: (text: string): Uint8Array => encoder.encode(text),
  decode: (bytes: Uint8Array): string => decoder.decode(bytes),
}

/** Reads a body to its end. */
export async function readAll(body: HttpBody): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
  }
  const [only] = chunks
  if (chunks.length === 1 && only) return only
  const all = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    all.set(chunk, offset)
    offset += chunk.length
  }
  return all
}
