const NEWLINE = 0x0a
/** Larger than any object that a store takes. */
const mostBytes = 32 * 1024 * 1024

/** The lines of a stream, as bytes without their ends. Empty lines, and an end without a line break, are left out. */
export async function* splitLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, at)])
      parts = []
      length = 0
      from = at + 1
      if (line.length > 0) yield line
    }
    const rest = chunk.subarray(from)
    if (rest.length > 0) parts.push(rest)
    length += rest.length
    if (length > mostBytes) throw new Error(`a line is longer than ${mostBytes} bytes`)
  }
}
