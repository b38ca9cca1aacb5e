import { serviceUnavailable } from '@strata/api'
import type { Filter } from './filter.ts'
import { isLongRunning } from './long-running.ts'
import { observeBody } from './observe-body.ts'

/**
 * Knows the watches that are open, so that they end in good order when the server stops: their clients see an end and
 * go on elsewhere, instead of a broken connection after the last moment.
 */
export class OpenWatches {
  readonly #open = new Set<AbortController>()
  #ended: Error | undefined

  readonly filter: Filter = async (context, next) => {
    if (!isLongRunning(context.info)) return next(context)
    // Otherwise: its watch ends, the client asks again at once, and for as long as the last connections are waited for it
    // follows a server that hears nothing any more. This answer sends it to another one.
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
      // It was not begun yet: the server has not caught up with what is newest, and will not any more.
      throw this.#ended && error === this.#ended ? goElsewhere(this.#ended) : error
    }
  }

  /** From now on there are none. */
  endAll(why: Error): void {
    this.#ended = why
    for (const watch of this.#open) watch.abort(why)
  }
}

const goElsewhere = ({ message }: Error): Error => serviceUnavailable(message, 1)
