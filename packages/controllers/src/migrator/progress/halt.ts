import type { Cancel } from '@strata/world'

/** How a pass over the objects ended. */
export type PassEnd =
  | { readonly kind: 'finished' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'cancelled' }
  /** What is claimed by then would be false: the target has moved. */
  | { readonly kind: 'aborted'; readonly because: string }
  /** It could not go on; it may be resumed. */
  | { readonly kind: 'failed'; readonly because: string }

/** Whether to go on, asked between objects. */
export type Control = () => 'run' | 'pause' | 'cancel'

/** The end of a run, decided once, by whoever sees the reason first. */
export class Halt {
  /** Aborted with any end: for what only waits, or reads. */
  readonly waits: AbortSignal
  /** Aborted only when the caller does not want to wait: writes under way are finished otherwise. */
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
