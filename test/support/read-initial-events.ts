import type { StrataServer } from '@strata/server'
import { readLines } from './read-lines.ts'

/** The state that a WatchList begins with; the watch is given up as soon as it is complete. */
export async function readInitialEvents(
  server: StrataServer,
  path: string,
  token: string,
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back.
): Promise<any[]> {
  const gone = new AbortController()
  const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
  const { status, body } = await server.handle({
    method: 'GET',
    target: `${path}?${query}`,
    headers: { authorization: `Bearer ${token}` },
    signal: gone.signal,
  })
  if (status !== 200) throw new Error(`a watch was answered with ${status}`)
  const objects = []
  try {
    for await (const line of readLines(body)) {
      const { type, object } = JSON.parse(line)
      if (type === 'BOOKMARK') return objects
      if (type !== 'ADDED') throw new Error(`${type} among the initial events: ${line}`)
      objects.push(object)
    }
  } finally {
    gone.abort(new Error('the client has seen enough'))
  }
  throw new Error('a watch ended before its initial events did')
}
