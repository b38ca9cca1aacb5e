import { isJsonObject } from '@strata/api'

/** Each leaf of an object by its place: `data/a`, `atomic`, `set/a`, `ports/a`, `ports/a/port`. */
export type Leaves = ReadonlyMap<string, unknown>

/**
 * A second implementation of server-side apply, for the one schema of the target: flat, without field sets. Undefined
 * if a list has an element twice.
 */
export function leavesOf(object: Readonly<Record<string, unknown>>): Leaves | undefined {
  const { data = {}, atomic = [], set = [], ports = [] } = object
  if (!isJsonObject(data) || ![atomic, set, ports].every(Array.isArray)) return undefined
  const members = set as readonly unknown[]
  const items = ports as readonly Readonly<Record<string, unknown>>[]
  if (!isUnique(members) || !isUnique(items.map((item) => item?.['name']))) return undefined
  return new Map<string, unknown>([
    ...Object.entries(data).map(([key, value]) => [`data/${key}`, value] as const),
    ...((atomic as readonly unknown[]).length > 0 ? [['atomic', JSON.stringify(atomic)] as const] : []),
    ...members.map((each) => [`set/${each}`, each] as const),
    ...items.flatMap(leavesOfPort),
  ])
}

const leavesOfPort = ({ name, ...rest }: Readonly<Record<string, unknown>>) => [
  [`ports/${name}`, name] as const,
  ...Object.entries(rest).map(([field, value]) => [`ports/${name}/${field}`, value] as const),
]

const isUnique = (list: readonly unknown[]): boolean => new Set(list).size === list.length

interface Leaf {
  readonly value: unknown
  readonly owners: ReadonlySet<string>
}

export class SimpleApply {
  #leaves: ReadonlyMap<string, Leaf> = new Map()

  /** Leaves that others own and have set to something else, each with its owners. */
  conflicts(by: string, named: Leaves): readonly string[] {
    return [...named]
      .flatMap(([place, value]) => {
        const leaf = this.#leaves.get(place)
        if (!leaf || leaf.value === value) return []
        return [...leaf.owners].filter((owner) => owner !== by).map((owner) => `${owner} ${place}`)
      })
      .sort()
  }

  /** The named leaves have their new values. What only the applier owned and names no more is gone. */
  apply(by: string, named: Leaves): void {
    const next = new Map<string, Leaf>()
    for (const [place, { value, owners }] of this.#leaves) {
      const others = new Set([...owners].filter((owner) => owner !== by))
      if (named.has(place) || (owners.has(by) && others.size === 0)) continue
      next.set(place, { value, owners: others })
    }
    for (const [place, value] of named) {
      const before = this.#leaves.get(place)
      const shared = before && before.value === value ? before.owners : []
      next.set(place, { value, owners: new Set([...shared, by]) })
    }
    this.#leaves = next
  }

  get values(): Leaves {
    return new Map([...this.#leaves].map(([place, { value }]) => [place, value]))
  }

  ownedBy(manager: string): readonly string[] {
    return [...this.#leaves].flatMap(([place, { owners }]) => (owners.has(manager) ? [place] : [])).sort()
  }
}

/** The leaves that a `fieldsV1` names, read without our own reader. */
export function ownedLeaves(fieldsV1: unknown): readonly string[] {
  const fields = isJsonObject(fieldsV1) ? fieldsV1 : {}
  const under = (field: string): readonly (readonly [string, unknown])[] =>
    Object.entries(isJsonObject(fields[field]) ? fields[field] : {}).filter(([key]) => key !== '.')
  return [
    ...under('f:data').map(([key]) => `data/${key.slice(2)}`),
    ...('f:atomic' in fields ? ['atomic'] : []),
    ...under('f:set').map(([key]) => `set/${JSON.parse(key.slice(2))}`),
    ...under('f:ports').flatMap(([key, parts]) => {
      const { name } = JSON.parse(key.slice(2)) as { name: string }
      const own = Object.keys(parts as object).filter((part) => part !== 'f:name')
      return own.map((part) => (part === '.' ? `ports/${name}` : `ports/${name}/${part.slice(2)}`))
    }),
  ].sort()
}
