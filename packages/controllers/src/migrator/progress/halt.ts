import type { Cancel } from '@strata/world'

/** How a pass over the objects ended. */
export type PassEnd =
  | { readonly kind: 'finished' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'cancelled' }
  /** The target has changed: a success would be false. */
  | { readonly kind: 'aborted'; readonly because: string }
  /** It could not continue; it can be resumed. */
  | { readonly kind: 'failed'; readonly because: string }

/** Whether to continue; asked between objects. */
export type Control = () => 'run' | 'pause' | 'cancel'

/** The end of a run. The first reason decides. */
export class Halt {
  /** Aborted with any end; for waits and reads. */
  readonly waits: AbortSignal
  /** Aborted only by the caller: otherwise pending writes may finish. */
  readonly writes: AbortSignal
  readonly #waits = new AbortController()
  readonly #control: Control
  readonly #forget: Cancel
  #end: PassEnd | undefined

  constructor(signal: AbortSignal, control: Control) {
    this.waits = this.#waits.signal
    this.writes = signal
    this.#control = control
    const onAbort = (): void => this.finish({ kind: 'cancelled' })
    signal.addEventListener('abort', onAbort, { once: true })
    this.#forget = () => signal.removeEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
  }

  finish(end: PassEnd): void {
    if (this.#end) return
    this.#end = end
    this.#waits.abort(new Error(`the migration is ${end.kind}`))
  }

  /** The end, if there is one; the caller is asked each time. */
  get end(): PassEnd | undefined {
    if (!this.#end) {
      const wanted = this.#control()
      if (wanted === 'pause') this.finish({ kind: 'paused' })
      if (wanted === 'cancel') this.finish({ kind: 'cancelled' })
    }
    return this.#end
  }

  dispose(): void {
    this.#forget()
  }
}
