import { Readable } from 'node:stream'
import { createGzip, gzip } from 'node:zlib'
import type { HttpBody, HttpHeaders, HttpResponse } from '@strata/world'
import { parseRequestInfo } from '../filters/index.ts'
import type { ServerRequest } from '../handlers/index.ts'

/** As upstream: smaller answers are not worth the time. */
const thresholdBytes = 128 * 1024
const options = { level: 1 }

/** Compresses large answers. It is done at the socket, because it runs on other threads, whose order no simulation can decide. */
export function compress(
  request: ServerRequest,
  response: HttpResponse,
): HttpResponse | Promise<HttpResponse> {
  const { body } = response
  if (response.isFinal) return response
  if (body instanceof Uint8Array && body.length <= thresholdBytes) return response
  if (!acceptsGzip(request.headers) || response.headers['content-encoding'] !== undefined) return response
  if (body instanceof Uint8Array) return compressBytes(response, body)
  // Clients wait for each event of a watch, so none may stay in a buffer.
  if (parseRequestInfo(request.method, request.target).verb === 'watch') return response
  return compressStream(response, body)
}

function acceptsGzip(headers: HttpHeaders): boolean {
  const accepted = headers['accept-encoding']
  return typeof accepted === 'string' && accepted.includes('gzip')
}

function compressed(response: HttpResponse, body: HttpBody): HttpResponse {
  const vary = response.headers['vary'] === undefined ? '' : `${response.headers['vary']}, `
  const headers = { ...response.headers, 'content-encoding': 'gzip', vary: `${vary}Accept-Encoding` }
  return { ...response, headers, body }
}

function compressBytes(response: HttpResponse, body: Uint8Array): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    gzip(body, options, (error, bytes) => (error ? reject(error) : resolve(compressed(response, bytes))))
  })
}

type Stream = Exclude<HttpBody, Uint8Array>

/** Reads until the list is known to be large. A list that ends before is not compressed. */
async function compressStream(response: HttpResponse, body: Stream): Promise<HttpResponse> {
  const source = body[Symbol.asyncIterator]()
  const head: Uint8Array[] = []
  let length = 0
  while (length <= thresholdBytes) {
    const { done, value } = await source.next()
    if (done) return { ...response, body: Buffer.concat(head) }
    head.push(value)
    length += value.length
  }
  return compressed(response, gzipped(resumed(head, source)))
}

async function* resumed(
  head: readonly Uint8Array[],
  source: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* head
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value
  } finally {
    await source.return?.()
  }
}

async function* gzipped(body: Stream): AsyncGenerator<Uint8Array> {
  const source = Readable.from(body, { objectMode: false })
  const target = createGzip(options)
  source.on('error', (error) => target.destroy(error))
  source.pipe(target)
  try {
    for await (const chunk of target) yield chunk
  } finally {
    source.destroy()
    target.destroy()
  }
}
