import { type ChangeBatch, type Store, StoreReplaced } from '@strata/server/store'
import type { Deadline } from '@strata/world'
import type { History } from '../history.ts'

/** Fires whenever the store is restored. */
export class Restoring {
  #controller = new AbortController()

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  fire(): void {
    const ended = this.#controller
    this.#controller = new AbortController()
    ended.abort()
  }
}

/**
 * No store is restored without being restarted: watches break. One that resumes looks, as that of the etcd adapter does,
 * whether what it was told last is still there.
 */
export function breakWatchesAtRestore(store: Store, { restores }: History, restoring: Restoring): Store {
  return {
    ...store,
    watch: async function* (prefix, after, signal) {
      let seen = after
      for (;;) {
        const ended = restoring.signal
        const known = restores.length
        const either = whenEither(signal, ended)
        try {
          for await (const batch of store.watch(prefix, seen, either.signal)) {
            if (ended.aborted) break
            seen = batch.revision
            yield batch
          }
        } finally {
          either.dispose()
        }
        if (signal.aborted || !ended.aborted) return
        if (seen > after && restores.slice(known).some(({ revision }) => seen > revision)) {
          throw new StoreReplaced('the watch resumes in another history than it has seen')
        }
      }
    },
  }
}

/**
 * Node keeps what `AbortSignal.any` returns in a global set while it has listeners. A world that is over is dropped and aborts
 * nothing: it would stay in memory, ten megabytes each.
 */
function whenEither(a: AbortSignal, b: AbortSignal): Pick<Deadline, 'signal' | 'dispose'> {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  const signals = [a, b]
  if (signals.some(({ aborted }) => aborted)) abort()
  for (const signal of signals) signal.addEventListener('abort', abort, { once: true })
  return {
    signal: controller.signal,
    dispose: () => {
      for (const signal of signals) signal.removeEventListener('abort', abort)
    },
  }
}

/**
 * On the server's side of the way, whose connections break and resume by themselves: the last change that a watch delivered
 * is compared across all of them, as the etcd adapter does. A watch that has delivered nothing yet has nothing to compare. A
 * change of the restored store itself is no sign, whatever its revision: the watch resumed at a change that both timelines have.
 */
export function compareLastTold(
  store: Store,
  { restores }: History,
  timelineOf: (batch: ChangeBatch) => number | undefined,
): Store {
  return {
    ...store,
    watch: async function* (prefix, after, signal) {
      let timeline = restores.length
      let seen = after
      for await (const batch of store.watch(prefix, after, signal)) {
        const now = timelineOf(batch) ?? restores.length
        if (seen > after && restores.slice(timeline, now).some(({ revision }) => seen > revision)) {
          throw new StoreReplaced('the watch resumes in another history than it has seen')
        }
        timeline = now
        seen = batch.revision
        yield batch
      }
    },
  }
}
