import type { JsonObject } from '../patch/json-value.ts'

/**
 * Ownership as one would explain it: an object is its leaves, each by its path, and each leaf has a value and owners.
 * Written from the rules and not from the code, for flat sums of what the code does with trees.
 */
export interface Model {
  readonly leaves: ReadonlyMap<string, string>
  /** The owners of each leaf. */
  readonly owners: ReadonlyMap<string, ReadonlySet<string>>
}

export const emptyModel: Model = { leaves: new Map(), owners: new Map() }

/** A port as the kind of the test has it. */
export interface Port {
  readonly name: string
  readonly port?: number
  readonly tags?: readonly string[]
}

/** The leaves of an object of the test's kind, by their paths as people write them. */
export function leavesOf(object: JsonObject): Map<string, string> {
  const leaves = new Map<string, string>()
  const add = (path: string, value: unknown): void => {
    if (value !== undefined) leaves.set(path, JSON.stringify(value))
  }
  for (const [key, value] of Object.entries(object['data'] ?? {})) add(`.data.${key}`, value)
  for (const [field, value] of Object.entries(object['struct'] ?? {})) add(`.struct.${field}`, value)
  add('.atomic', object['atomic'])
  for (const tag of (object['tags'] ?? []) as string[]) add(`.tags[="${tag}"]`, true)
  for (const { name, port, tags } of (object['ports'] ?? []) as Port[]) {
    const path = `.ports[name="${name}"]`
    add(path, true)
    add(`${path}.name`, name)
    add(`${path}.port`, port)
    for (const tag of tags ?? []) add(`${path}.tags[="${tag}"]`, true)
  }
  return leaves
}

/** The paths on which another manager has another value. */
export function modelConflicts(
  { leaves, owners }: Model,
  by: string,
  applied: ReadonlyMap<string, string>,
): string[] {
  return [...applied]
    .filter(([path, value]) => leaves.has(path) && leaves.get(path) !== value)
    .filter(([path]) => [...(owners.get(path) ?? [])].some((owner) => owner !== by))
    .map(([path]) => path)
}

export function modelApply(model: Model, by: string, applied: ReadonlyMap<string, string>): Model {
  const leaves = new Map(model.leaves)
  const owners = copyOf(model.owners)
  for (const [path, value] of applied) {
    // Who wanted something else has lost it; who wanted the same shares it.
    if (leaves.get(path) !== value) owners.set(path, new Set())
    leaves.set(path, value)
    owners.set(path, new Set([...(owners.get(path) ?? []), by]))
  }
  for (const [path, all] of model.owners) {
    if (!all.has(by) || applied.has(path)) continue
    const left = new Set([...(owners.get(path) ?? [])].filter((owner) => owner !== by))
    if (left.size > 0) owners.set(path, left)
    else removeBelow(path, leaves, owners)
  }
  return { leaves, owners }
}

/** An item goes with all that is in it, including fields of other managers. */
function removeBelow(path: string, leaves: Map<string, string>, owners: Map<string, Set<string>>): void {
  for (const each of [...leaves.keys()]) {
    if (each !== path && !(path.endsWith(']') && each.startsWith(path))) continue
    leaves.delete(each)
    owners.delete(each)
  }
}

export function modelUpdate(model: Model, by: string, next: ReadonlyMap<string, string>): Model {
  const owners = new Map<string, ReadonlySet<string>>()
  for (const [path, value] of next) {
    const kept = model.leaves.get(path) === value ? model.owners.get(path) : undefined
    owners.set(path, kept ?? new Set([by]))
  }
  return { leaves: next, owners }
}

const copyOf = (owners: Model['owners']): Map<string, Set<string>> =>
  new Map([...owners].map(([path, all]) => [path, new Set(all)]))
