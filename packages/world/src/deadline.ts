import type { Clock } from './clock.ts'

/** The time given for an operation is over. What it was doing may or may not have happened. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded'
}

export interface Deadline {
  readonly signal: AbortSignal
  /** Forget the timer and the parent. Call it in `finally`: a forgotten deadline keeps both alive. */
  dispose(): void
}

/**
 * A signal that is aborted after `delayMs`, or when the parent is. It replaces `AbortSignal.timeout`
 * and `AbortSignal.any`, which read the real clock and so cannot be simulated.
 */
export function deadline(clock: Clock, delayMs: number, parent?: AbortSignal): Deadline {
  const controller = new AbortController()
  const onParent = (): void => controller.abort(parent?.reason)
  if (parent?.aborted) onParent()
  else parent?.addEventListener('abort', onParent, { once: true })
  const cancel = clock.after(delayMs, () =>
    controller.abort(new DeadlineExceeded(`not finished within ${delayMs} ms`)),
  )
  return {
    signal: controller.signal,
    dispose: () => {
      cancel()
      parent?.removeEventListener('abort', onParent)
    },
  }
}
