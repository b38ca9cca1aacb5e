import type { Target } from './fault-kind.ts'

/** Keeps two lanes from acting on the same target at once. */
export class TargetLocks {
  readonly #held = new Map<Target, Promise<void>>()

  /** Waits until all are free, takes them together, and returns how to give them back. */
  async take(targets: readonly Target[]): Promise<() => void> {
    for (;;) {
      const busy = targets.map((target) => this.#held.get(target)).filter((each) => each !== undefined)
      if (busy.length === 0) break
      await Promise.all(busy)
    }
    const released = Promise.withResolvers<void>()
    for (const target of targets) this.#held.set(target, released.promise)
    return () => {
      for (const target of targets) this.#held.delete(target)
      released.resolve()
    }
  }
}
