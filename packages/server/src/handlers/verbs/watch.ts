import { ApiError } from '@strata/api'
import { deadline, integer, type World } from '@strata/world'
import { type Registry, watch } from '../../registry/index.ts'
import { negotiateForm } from '../answer/forms.ts'
import { respondStream } from '../answer/respond.ts'
import { errorFrame, watchFrames } from '../answer/watch-frames.ts'
import type { ResourceHandler } from '../request-context.ts'
import { type ListOptions, readListOptions } from './list-options.ts'
import { selectionOf, watchBeginning } from './list-request.ts'

export function watchHandler(registry: Registry): ResourceHandler {
  return async (context, resource, target) => {
    const { info, signal } = context
    const form = negotiateForm(context, resource, 'watch', registry.world.clock)
    const options = readListOptions(info.query, 'watch')
    const selection = selectionOf(resource, target, options)
    const begin = watchBeginning(options)
    const bookmarks = options.allowWatchBookmarks
    const timeoutMs = timeoutOf(options, registry.world)
    const limit = deadline(registry.world.clock, timeoutMs, signal)
    try {
      const asked = { selection, begin, bookmarks, timeoutMs }
      const stream = await watch(registry, resource, asked, limit.signal)
      return respondStream(watchFrames(resource, form, stream, { bookmarks, onEnd: limit.dispose }))
    } catch (error) {
      limit.dispose()
      // As upstream, a watch that cannot begin is answered inside the stream: informers expect it there.
      if (error instanceof ApiError && (error.code === 410 || error.code === 504)) {
        return respondStream(only(errorFrame(error)))
      }
      throw error
    }
  }
}

/** The longest timer. */
const maxTimeoutMs = 2 ** 31 - 1

function timeoutOf({ timeoutSeconds }: ListOptions, { random }: World): number {
  const seconds = timeoutSeconds || 1800 + integer(random, 1800)
  return Math.min(Math.max(0, 1000 * seconds), maxTimeoutMs)
}

async function* only(frame: Uint8Array): AsyncGenerator<Uint8Array> {
  yield frame
}
