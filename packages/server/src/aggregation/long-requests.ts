import { type Deadline, OutboundError } from '@strata/world'

/**
 * The watches and upgrades that are passed on to one backend. They have no time limit, so a backend that is frozen would hold
 * them for ever: it closes no connection, and an idle watch looks the same. They are ended when its checks get no answer.
 */
export class LongRequests {
  readonly #open = new Set<AbortController>()

  /** A signal that is aborted with the request, or when the backend has become silent. */
  begin(request: AbortSignal): Deadline {
    const controller = new AbortController()
    const onRequest = (): void => controller.abort(request.reason)
    if (request.aborted) onRequest()
    else request.addEventListener('abort', onRequest, { once: true })
    this.#open.add(controller)
    return {
      signal: controller.signal,
      dispose: () => {
        this.#open.delete(controller)
        request.removeEventListener('abort', onRequest)
      },
    }
  }

  /** Ends all of them. Clients see the stream cut, and resume. Returns how many there were. */
  end(why: string): number {
    const open = [...this.#open]
    this.#open.clear()
    for (const each of open) each.abort(new OutboundError(why))
    return open.length
  }
}
