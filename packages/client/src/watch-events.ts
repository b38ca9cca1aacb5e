import { type ApiObject, isStatus } from '@strata/api'
import { type HttpBody, TransportError, utf8 } from '@strata/world'
import { errorOfStatus, MalformedAnswer } from './errors.ts'
import { readObject } from './go-nulls.ts'

export type WatchEvent<T extends ApiObject = ApiObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  /** Everything up to its resourceVersion has been sent. */
  | { readonly type: 'BOOKMARK'; readonly object: ApiObject }

/** Objects have at most a few MiB. A longer line is not an event, and must not fill the memory. */
const longestLineBytes = 32 * 1024 * 1024
const newline = 0x0a

/** Whole lines from chunks: a character of several bytes may span two chunks. */
async function* lines(body: HttpBody): AsyncGenerator<string, void> {
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
    if (held > longestLineBytes) throw new MalformedAnswer('a line of the watch is too long')
  }
  // A clean end is between two events. Otherwise the connection broke, even if the socket closed normally.
  if (held > 0) throw new TransportError('the watch ended in the middle of an event', 'unknown')
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

/**
 * The events of a watch. Throws on an ERROR event and on a line that it cannot read. It never skips a line: the change
 * would be lost for ever.
 */
export async function* watchEvents<T extends ApiObject>(body: HttpBody): AsyncGenerator<WatchEvent<T>, void> {
  for await (const line of lines(body)) yield parseEvent<T>(line)
}

function parseEvent<T extends ApiObject>(line: string): WatchEvent<T> {
  const { type, object } = parseLine(line)
  if (type === 'ERROR' && isStatus(object)) throw errorOfStatus(object)
  if (type === 'BOOKMARK') return { type, object: readObject(object as ApiObject) }
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') {
    return { type, object: readObject(object as T) }
  }
  throw new MalformedAnswer(`not a watch event: ${line.slice(0, 200)}`)
}

function parseLine(line: string): { type?: unknown; object?: unknown } {
  let event: unknown
  try {
    event = JSON.parse(line)
  } catch (cause) {
    throw new MalformedAnswer(`not a watch event: ${line.slice(0, 200)}`, { cause })
  }
  return typeof event === 'object' && event !== null ? event : {}
}
