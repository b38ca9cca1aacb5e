import { type HttpBody, TransportError, utf8 } from '@strata/world'
import { MalformedAnswer } from './errors.ts'

/** Objects have at most a few MiB. A longer line is none, and must not fill the memory. */
const longestLineBytes = 32 * 1024 * 1024
const newline = 0x0a

/** The lines of an answer that goes on, from chunks: a character of several bytes may span two. Empty lines are skipped. */
export async function* linesOf(body: HttpBody): AsyncGenerator<string, void> {
  let pieces: Uint8Array[] = []
  let held = 0
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = utf8.decode(joined([...pieces, chunk.subarray(start, end)]))
      pieces = []
      held = 0
      start = end + 1
      if (line.trim() !== '') yield line
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start))
    held += chunk.length - start
    if (held > longestLineBytes) throw new MalformedAnswer('a line of the answer is too long')
  }
  // A clean end is between two lines. Otherwise the connection broke, even if the socket closed normally.
  if (held > 0) throw new TransportError('the answer ended in the middle of a line', 'unknown')
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces
  if (pieces.length === 1 && only) return only
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const piece of pieces) {
    all.set(piece, offset)
    offset += piece.length
  }
  return all
}
