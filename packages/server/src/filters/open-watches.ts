import { serviceUnavailable } from '@strata/api'
import type { Filter } from './filter.ts'
import { isLongRunning } from './long-running.ts'
import { observeBody } from './observe-body.ts'

/**
 * Tracks open watches and ends them when the server stops. Clients then see a clean end and continue on another server,
 * instead of a broken connection.
 */
export class OpenWatches {
  readonly #open = new Set<AbortController>()
  #ended: Error | undefined

  readonly filter: Filter = async (context, next) => {
    if (!isLongRunning(context.info)) return next(context)
    // Otherwise: the watch ends, the client sends it again at once, and until the last connection closes it watches a server
    // whose cache no longer moves. This answer sends it to another server.
    if (this.#ended) throw goElsewhere(this.#ended)
    const { signal } = context
    const watch = new AbortController()
    const onGone = (): void => watch.abort(signal.reason)
    const forget = (): void => {
      signal.removeEventListener('abort', onGone)
      this.#open.delete(watch)
    }
    signal.addEventListener('abort', onGone, { once: true })
    if (signal.aborted) onGone()
    this.#open.add(watch)
    try {
      const response = await next({ ...context, signal: watch.signal })
      if (response.body instanceof Uint8Array) {
        forget()
        return response
      }
      return { ...response, body: observeBody(response.body, { onEnd: forget }) }
    } catch (error) {
      forget()
      // The watch had not begun: it waited for the cache, which no longer moves.
      throw this.#ended && error === this.#ended ? goElsewhere(this.#ended) : error
    }
  }

  /** Ends all watches. New ones are refused. */
  endAll(why: Error): void {
    this.#ended = why
    for (const watch of this.#open) watch.abort(why)
  }
}

const goElsewhere = ({ message }: Error): Error => serviceUnavailable(message, 1)
