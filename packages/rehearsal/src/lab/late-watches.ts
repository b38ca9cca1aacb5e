import type { Store } from '@strata/server/store'

/** Watches that do not hear of changes while their server is late. Reads and commits pass. */
export class LateWatches {
  #passing: PromiseWithResolvers<void> | undefined

  get isLate(): boolean {
    return this.#passing !== undefined
  }

  hold(): void {
    this.#passing ??= Promise.withResolvers<void>()
  }

  release(): void {
    this.#passing?.resolve()
    this.#passing = undefined
  }

  wrap(store: Store): Store {
    const passes = (): Promise<void> | undefined => this.#passing?.promise
    return {
      ...store,
      watch: async function* (prefix, after, signal) {
        for await (const batch of store.watch(prefix, after, signal)) {
          await passes()
          if (signal.aborted) return
          yield batch
        }
      },
    }
  }
}
