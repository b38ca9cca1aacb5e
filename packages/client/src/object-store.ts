import type { ApiObject } from '@strata/api'
import { compareResourceVersions } from './resource-versions.ts'
import type { WatchEvent } from './watch-events.ts'

/** What became of one object, as far as we can know. */
export type ObjectChange<T extends ApiObject> =
  | { readonly kind: 'added'; readonly key: string; readonly object: T }
  | { readonly kind: 'modified'; readonly key: string; readonly object: T; readonly previous: T }
  /** `object` is the last state we know; it may have changed again before the end. */
  | { readonly kind: 'deleted'; readonly key: string; readonly object: T }

/** `namespace/name`, or the name alone for cluster-scoped objects. */
export function objectKey({ metadata: { namespace, name = '' } }: ApiObject): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

/**
 * The objects of a resource as lists and watches tell of them. Pure: in goes what the server said, out come
 * the changes. Whatever is repeated gives no change, and whatever was missed comes out at the next list, so
 * that a listener hears of every lasting difference exactly once.
 */
export class ObjectStore<T extends ApiObject> {
  readonly #objects = new Map<string, T>()
  #seen: string | undefined

  get objects(): ReadonlyMap<string, T> {
    return this.#objects
  }

  /** The newest resourceVersion that everything here is known up to; a watch resumes from it. */
  get resourceVersion(): string | undefined {
    return this.#seen
  }

  /** History is gone: the next list sets the place to watch from. */
  forgetPlace(): void {
    this.#seen = undefined
  }

  /** Everything there is, at one resourceVersion. What is missing was deleted while we did not look. */
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
    // From before the place we have reached: a repeat. To go back to it would undo what we know, and a resume
    // from there would tell listeners of changes twice.
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
    // Another object under the same name: the end of the first one must not be swallowed.
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
