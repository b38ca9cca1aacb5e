import type { MigrationOptions } from '@strata/controllers'
import { type RefusalClass, refusalClassOf } from '@strata/insight'
import type { PlannedObject, RefusedGroup } from './planned-resource.ts'

type Quarantined = Parameters<NonNullable<MigrationOptions['onQuarantine']>>[0]

/** How many objects of each class are named: a plan has to be readable, and to fit into a review. */
const mostNamed = 50

/** Counts refused objects by class. A list that begins anew names objects again: each counts once. */
export class RefusedObjects {
  readonly #seen = new Set<string>()
  readonly #groups = new Map<RefusalClass, { count: number; objects: PlannedObject[] }>()

  add({ namespace, name, reason, message }: Quarantined): void {
    const key = `${namespace ?? ''}/${name}`
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    const of = refusalClassOf({ reason, message })
    const group = this.#groups.get(of) ?? { count: 0, objects: [] }
    this.#groups.set(of, group)
    group.count++
    if (group.objects.length < mostNamed)
      group.objects.push({ ...(namespace === undefined ? {} : { namespace }), name, message })
  }

  get refused(): readonly RefusedGroup[] {
    return this.#all.filter((each) => each.class !== 'no dry run')
  }

  /** Objects whose answer depends on a webhook that cannot be asked. */
  get unknown(): readonly RefusedGroup[] {
    return this.#all.filter((each) => each.class === 'no dry run')
  }

  get #all(): readonly RefusedGroup[] {
    return [...this.#groups]
      .map(([of, { count, objects }]) => ({ class: of, count, objects }))
      .sort((a, b) => b.count - a.count)
  }
}
