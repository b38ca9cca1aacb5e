import type { ApiObject } from '@strata/api'
import type { Informer, ObjectChange } from '@strata/client'
import type { Source } from './controller.ts'

/** A source of the keys that a change of the informer concerns: one, several or none. */
export function informerSource<T extends ApiObject>(
  informer: Informer<T>,
  keysOf: (change: ObjectChange<T>) => Iterable<string>,
): Source {
  return {
    subscribe: (enqueue) =>
      informer.subscribe((change) => {
        for (const key of keysOf(change)) enqueue(key)
      }),
    whenSynced: (signal) => informer.whenSynced(signal),
  }
}
