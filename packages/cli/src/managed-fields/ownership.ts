import type { Owner } from './decide-kept-fields.ts'

/** One manager, and in how many objects it owns fields in a dead version. */
export interface Ownership extends Owner {
  readonly objects: number
}

/** Counts owners over many objects; memory grows with the managers, not with the objects. */
export class OwnershipTally {
  readonly #counts = new Map<string, { readonly owner: Owner; objects: number }>()
  #affected = 0

  /** One object with the owners that go. */
  add(owners: readonly Owner[]): void {
    if (owners.length === 0) return
    this.#affected++
    // One manager may have several entries in one object.
    const keys = new Map(owners.map((owner) => [keyOf(owner), owner]))
    for (const [key, owner] of keys) {
      const counted = this.#counts.get(key)
      if (counted) counted.objects++
      else this.#counts.set(key, { owner, objects: 1 })
    }
  }

  /** How many objects name a dead version. */
  get affected(): number {
    return this.#affected
  }

  list(): readonly Ownership[] {
    return [...this.#counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { owner, objects }]) => ({ ...owner, objects }))
  }
}

const keyOf = ({ version, manager, operation, subresource }: Owner): string =>
  JSON.stringify([version, manager, operation, subresource])
