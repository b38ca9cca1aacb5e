import type { ApiObject, ResourceDefinition } from '@strata/api'
import { type Codec, resourcePrefix } from '../codec/index.ts'
import type { WatchCache } from './watch-cache.ts'

/** Takes the current object, or undefined if it is gone. */
export type TakeObject = (namespace: string, name: string, object: ApiObject | undefined) => void

/**
 * Calls `take` for every object of a resource, now and on each change: objects are decoded then, and never for a request. One
 * that cannot be decoded counts as absent, after a call of `onUnreadable`.
 */
export function followObjects(
  cache: WatchCache,
  codec: Codec,
  take: TakeObject,
  onUnreadable: (key: string, error: unknown) => void,
): void {
  const { definition } = codec
  const prefix = resourcePrefix(definition)
  const collection = cache.collection(prefix)
  const known = new Set<string>()

  const set = (key: string, value: Uint8Array): void => {
    const [namespace, name] = placeOf(definition, key.slice(prefix.length))
    known.add(key)
    try {
      take(namespace, name, codec.decode(value).hub)
    } catch (error) {
      take(namespace, name, undefined)
      onUnreadable(key, error)
    }
  }
  const forget = (key: string): void => {
    known.delete(key)
    take(...placeOf(definition, key.slice(prefix.length)), undefined)
  }
  const readAll = (): void => {
    for (const key of [...known]) if (!collection.get(key)) forget(key)
    const all = collection.range(prefix)
    for (let index = 0; index < all.count; index++) {
      const { key, value } = all.at(index)
      set(key, value)
    }
    subscribe()
  }
  const subscribe = (): void => {
    collection.subscribe({
      onEvent: ({ kind, key, value }) => (kind === 'deleted' ? forget(key) : set(key, value)),
      onReset: readAll,
    })
  }
  readAll()
}

function placeOf({ scope }: ResourceDefinition, rest: string): [namespace: string, name: string] {
  if (scope === 'Cluster') return ['', rest]
  const slash = rest.indexOf('/')
  return [rest.slice(0, slash), rest.slice(slash + 1)]
}
