import { type HttpBody, utf8 } from '@strata/world'

/** The whole lines of a body; what a broken connection leaves of the last one is dropped. */
export async function* readLines(body: HttpBody): AsyncGenerator<string, void> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      chunks.push(chunk.subarray(start, end))
      yield utf8.decode(Buffer.concat(chunks.splice(0)))
      start = end + 1
    }
    if (start < chunk.length) chunks.push(chunk.subarray(start))
  }
}
