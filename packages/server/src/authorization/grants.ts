import type { RoleRef, Subject } from '@strata/api'

/** One role, given to one subject. */
export interface Grant {
  /** The namespace and name of the binding. */
  readonly key: string
  readonly roleRef: RoleRef
  /** The reason why something is allowed. Computed once, so that an allowed request costs no allocation. */
  readonly reason: string
}

/** The position of the grants of one user or group. */
interface Place {
  readonly found: Map<string, Grant[]>
  readonly name: string
}

/** The bindings of one namespace, or of all of them, by subject: a request reads only its own. */
export class Grants {
  readonly #users = new Map<string, Grant[]>()
  readonly #groups = new Map<string, Grant[]>()
  /** The positions of the grants of each binding, by its key. */
  readonly #places = new Map<string, readonly Place[]>()

  get isEmpty(): boolean {
    return this.#places.size === 0
  }

  ofUser(name: string): readonly Grant[] {
    return this.#users.get(name) ?? none
  }

  ofGroup(name: string): readonly Grant[] {
    return this.#groups.get(name) ?? none
  }

  /** `namespace` is that of the binding, and the default for its service accounts. */
  set(
    key: string,
    subjects: readonly Subject[],
    grant: (subject: Subject) => Grant,
    namespace: string,
  ): void {
    this.delete(key)
    const places: Place[] = []
    this.#places.set(key, places)
    for (const subject of subjects) {
      const place = this.#placeOf(subject, namespace)
      if (!place) continue
      const { found, name } = place
      const grants = found.get(name)
      // A binding that names a subject twice grants once. If it has granted already, that grant is the last one of the subject.
      if (grants?.at(-1)?.key === key) continue
      if (grants) grants.push(grant(subject))
      else found.set(name, [grant(subject)])
      places.push(place)
    }
  }

  delete(key: string): void {
    const places = this.#places.get(key) ?? []
    this.#places.delete(key)
    for (const { found, name } of places) {
      const left = (found.get(name) ?? none).filter((each) => each.key !== key)
      if (left.length > 0) found.set(name, left)
      else found.delete(name)
    }
  }

  #placeOf({ kind, name = '', namespace }: Subject, home: string): Place | undefined {
    if (name === '') return undefined
    if (kind === 'User') return { found: this.#users, name }
    if (kind === 'Group') return { found: this.#groups, name }
    const within = namespace || home
    if (kind !== 'ServiceAccount' || within === '') return undefined
    return { found: this.#users, name: `system:serviceaccount:${within}:${name}` }
  }
}

const none: readonly Grant[] = []
