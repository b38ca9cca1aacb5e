import { type ApiObject, namespacedName } from '@strata/api'
import { compareResourceVersions } from './resource-versions.ts'
import type { WatchEvent } from './watch-events.ts'

/** A change of one object. */
export type ObjectChange<T extends ApiObject> =
  | { readonly kind: 'added'; readonly key: string; readonly object: T }
  | { readonly kind: 'modified'; readonly key: string; readonly object: T; readonly previous: T }
  /** `object` is the last known state; it may have changed again before it was deleted. */
  | { readonly kind: 'deleted'; readonly key: string; readonly object: T }

/** `namespace/name`, or the name alone for cluster-scoped objects. */
export const objectKey = ({ metadata }: ApiObject): string => namespacedName(metadata)

/**
 * The objects of a resource, from lists and watches. Pure: it takes what the server sent, and returns the changes. A
 * repeated event gives no change, and the next list brings what was missed. So a listener is notified of every lasting
 * difference exactly once.
 */
export class ObjectStore<T extends ApiObject> {
  readonly #objects = new Map<string, T>()
  #seen: string | undefined

  get objects(): ReadonlyMap<string, T> {
    return this.#objects
  }

  /** The store is complete up to this resourceVersion; a watch resumes from it. */
  get resourceVersion(): string | undefined {
    return this.#seen
  }

  /** The revision has expired: the next list sets the resourceVersion to watch from. */
  forgetResourceVersion(): void {
    this.#seen = undefined
  }

  /** Takes a complete list at one resourceVersion. Objects that are missing in it were deleted meanwhile. */
  replace(items: readonly T[], resourceVersion: string): ObjectChange<T>[] {
    const listed = new Set(items.map(objectKey))
    const changes: ObjectChange<T>[] = []
    for (const key of [...this.#objects.keys()]) if (!listed.has(key)) changes.push(...this.#remove(key))
    for (const item of items) changes.push(...this.#put(item))
    this.#seen = resourceVersion
    return changes
  }

  apply(event: WatchEvent<T>): ObjectChange<T>[] {
    const version = event.object.metadata.resourceVersion
    // Older than the resourceVersion reached: a repeat. Going back would undo newer states, and a resume from there would
    // notify listeners twice.
    if (version !== undefined && this.#isOld(version)) return []
    if (version !== undefined) this.#seen = version
    if (event.type === 'BOOKMARK') return []
    return event.type === 'DELETED' ? this.#remove(objectKey(event.object)) : this.#put(event.object)
  }

  #isOld(version: string): boolean {
    return this.#seen !== undefined && (compareResourceVersions(version, this.#seen) ?? 0) < 0
  }

  #put(object: T): ObjectChange<T>[] {
    const key = objectKey(object)
    const previous = this.#objects.get(key)
    this.#objects.set(key, object)
    if (!previous) return [{ kind: 'added', key, object }]
    // Another object with the same name: listeners must see that the first one is gone.
    if (previous.metadata.uid !== object.metadata.uid) {
      return [
        { kind: 'deleted', key, object: previous },
        { kind: 'added', key, object },
      ]
    }
    if (previous.metadata.resourceVersion === object.metadata.resourceVersion) return []
    return [{ kind: 'modified', key, object, previous }]
  }

  #remove(key: string): ObjectChange<T>[] {
    const object = this.#objects.get(key)
    if (!object) return []
    this.#objects.delete(key)
    return [{ kind: 'deleted', key, object }]
  }
}
