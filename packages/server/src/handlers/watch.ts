import { ApiError, invalid, invalidObject } from '@strata/api'
import { deadline, integer, type World } from '@strata/world'
import { UndecodableObject } from '../codec/index.ts'
import { type Registry, type ServedResource, type WatchStream, watch } from '../registry/index.ts'
import type { CacheEvent } from '../watch-cache/index.ts'
import { booleanParameter, revisionParameter, secondsParameter } from './query.ts'
import type { ResourceHandler } from './request-context.ts'
import { respondStream } from './respond.ts'

const types = { added: 'ADDED', modified: 'MODIFIED', deleted: 'DELETED' } as const
const bookmarkMs = 60_000

export function watchHandler(registry: Registry): ResourceHandler {
  return async ({ info, signal }, resource, { namespace }) => {
    const { query } = info
    if (query.has('sendInitialEvents')) {
      // Clients fall back to list and watch on this answer; if it were ignored they would wait for ever.
      const error = invalid(
        'sendInitialEvents',
        query.get('sendInitialEvents'),
        'not supported by this server yet',
      )
      throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', [error])
    }
    const after = revisionParameter(query)
    const bookmarks = booleanParameter(query, 'allowWatchBookmarks')
    const limit = deadline(registry.world.clock, timeoutMs(query, registry.world), signal)
    try {
      const options = { namespace, after, ...(bookmarks ? { bookmarkMs } : {}) }
      const stream = await watch(registry, resource, options, limit.signal)
      return respondStream(frames(resource, stream, limit.dispose))
    } catch (error) {
      limit.dispose()
      // A watch that cannot begin is answered inside the stream, as upstream does: informers look there.
      if (error instanceof ApiError && error.code === 410) return respondStream(only(errorFrame(error)))
      throw error
    }
  }
}

function timeoutMs(query: URLSearchParams, { random }: World): number {
  const seconds = secondsParameter(query, 'timeoutSeconds')
  return 1000 * (seconds === undefined || seconds === 0 ? 1800 + integer(random, 1800) : seconds)
}

async function* frames(
  resource: ServedResource,
  { past, live }: WatchStream,
  dispose: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    for (const event of past) yield eventFrame(resource, event)
    for await (const item of live) {
      yield item.kind === 'event' ? eventFrame(resource, item.event) : bookmarkFrame(resource, item.revision)
    }
  } catch (error) {
    // An object that this release cannot decode: its watchers are told, rather than cut off without a word.
    if (!(error instanceof UndecodableObject)) throw error
    yield errorFrame(new ApiError(500, 'StoreReadError', error.message))
  } finally {
    dispose()
    await live.return?.()
  }
}

/** Serialised once per event and form; all watchers of that form share the bytes. */
function eventFrame({ codec, apiVersion }: ServedResource, event: CacheEvent): Uint8Array {
  const made = event.forms.get(apiVersion)
  if (made) return made
  const object = codec.serve(event.value, event.revision, apiVersion)
  const frame = Buffer.concat([
    Buffer.from(`{"type":"${types[event.kind]}","object":`),
    object,
    Buffer.from('}\n'),
  ])
  event.forms.set(apiVersion, frame)
  return frame
}

function bookmarkFrame({ definition, apiVersion }: ServedResource, revision: number): Uint8Array {
  const object = {
    kind: definition.kind,
    apiVersion,
    metadata: { resourceVersion: String(revision), creationTimestamp: null },
  }
  return Buffer.from(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`)
}

function errorFrame(error: ApiError): Uint8Array {
  return Buffer.from(`${JSON.stringify({ type: 'ERROR', object: error.status })}\n`)
}

async function* only(frame: Uint8Array): AsyncGenerator<Uint8Array> {
  yield frame
}
