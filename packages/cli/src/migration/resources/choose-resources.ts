import { agreementName, type GroupResource, groupResourceText } from '@strata/api'
import { type DiscoveredResource, preferredResources } from '@strata/client'
import { isMigratable } from '@strata/controllers'

export type ResourceChoice =
  | { readonly kind: 'chosen'; readonly resources: readonly DiscoveredResource[] }
  | { readonly kind: 'refused'; readonly because: string }

/** Why nothing of a resource can be brought to another version; undefined where it can. */
export function whyNotMigratable(resource: DiscoveredResource): string | undefined {
  if (isMigratable(resource)) return undefined
  const lacks = resource.verbs.includes('list') ? 'written again' : 'listed'
  const verbs = resource.verbs.join(', ') || 'none'
  return `${groupResourceText(resource)} cannot be migrated: its objects cannot be ${lacks} (its verbs: ${verbs})`
}

/** Every resource whose objects could be brought to another version. Events are gone before it matters. */
export function allMigratable(served: readonly DiscoveredResource[]): readonly DiscoveredResource[] {
  const usable = served.filter((each) => isMigratable(each) && each.resource !== 'events')
  return sorted(preferredResources(usable))
}

/**
 * Resolves names as kubectl does: the plural, the singular, a short name or the kind, with or without the group; also the name
 * of the agreement record. Refuses a name that two groups share.
 */
export function chooseResources(
  names: readonly string[],
  served: readonly DiscoveredResource[],
): ResourceChoice {
  const all = preferredResources(served)
  const chosen = new Map<string, DiscoveredResource>()
  for (const name of names) {
    const matching = bestMatches(name, all, served)
    const [first, ...others] = matching
    if (first === undefined) {
      return {
        kind: 'refused',
        because: `${JSON.stringify(name)} is not served: "kubectl api-resources" lists what is served`,
      }
    }
    if (others.length > 0) {
      const full = matching.map(groupResourceText).join(', ')
      return { kind: 'refused', because: `${JSON.stringify(name)} may be any of ${full}: name it in full` }
    }
    chosen.set(groupResourceText(first), first)
  }
  return { kind: 'chosen', resources: [...chosen.values()] }
}

/**
 * The full name of a resource. A plural stays as typed, because callers match it in every group; so does a name that is not
 * served, because a record may still have it.
 */
export function nameInFull(name: string, served: readonly DiscoveredResource[]): string {
  if (served.some(({ resource }) => resource === name)) return name
  const choice = chooseResources([name], served)
  const [one] = choice.kind === 'chosen' ? choice.resources : []
  return one ? groupResourceText(one) : name
}

/** Those of the first way to understand the name by which there are any. The core group needs no name. */
function bestMatches(
  name: string,
  all: readonly DiscoveredResource[],
  served: readonly DiscoveredResource[],
): readonly DiscoveredResource[] {
  const wanted = name.toLowerCase()
  const ways: readonly ((each: DiscoveredResource) => boolean)[] = [
    (each) => isNamed(each, wanted),
    (each) => each.resource === wanted,
    (each) => each.singular === wanted || each.kind.toLowerCase() === wanted,
    (each) => each.shortNames?.includes(wanted) ?? false,
  ]
  for (const way of ways) {
    const found = all.filter(way)
    const core = found.filter(({ group }) => group === '')
    if (found.length > 0) return core.length === 1 ? core : found
  }
  const versioned = served.find(
    (each) => `${each.resource}.${each.versionName}.${each.group}`.replace(/\.$/, '') === wanted,
  )
  return versioned ? all.filter((each) => isSame(each, versioned)) : []
}

function isNamed(each: DiscoveredResource, wanted: string): boolean {
  // In the core group the full name is the plural, which stands for others too.
  return agreementName(each) === wanted || (each.group !== '' && groupResourceText(each) === wanted)
}

const isSame = (a: GroupResource, b: GroupResource): boolean =>
  a.group === b.group && a.resource === b.resource

function sorted(resources: readonly DiscoveredResource[]): readonly DiscoveredResource[] {
  return [...resources].sort((a, b) => (groupResourceText(a) < groupResourceText(b) ? -1 : 1))
}
