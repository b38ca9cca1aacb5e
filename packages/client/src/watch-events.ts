import { type ApiObject, isStatus } from '@strata/api'
import type { HttpBody } from '@strata/world'
import { errorOfStatus, MalformedAnswer } from './errors.ts'
import { readObject } from './go-nulls.ts'
import { linesOf } from './lines-of.ts'

export type WatchEvent<T extends ApiObject = ApiObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  /** Everything up to its resourceVersion has been sent. */
  | { readonly type: 'BOOKMARK'; readonly object: ApiObject }

/**
 * The events of a watch. Throws on an ERROR event and on a line that it cannot read. It never skips a line: the change
 * would be lost for ever.
 */
export async function* watchEvents<T extends ApiObject>(body: HttpBody): AsyncGenerator<WatchEvent<T>, void> {
  for await (const line of linesOf(body)) yield parseEvent<T>(line)
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
