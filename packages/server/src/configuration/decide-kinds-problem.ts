import { groupResourceText, type ResourceDefinition } from '@strata/api'

type Named = Pick<ResourceDefinition, 'group' | 'plural' | 'resource' | 'kind' | 'storagePrefix'>

/**
 * Why a program may not define these kinds; undefined if it may. A kind with the name of a built-in one would take its place:
 * a server reads Leases by their path, and would find objects of the program.
 */
export function decideKindsProblem(
  resources: readonly Named[],
  builtIn: readonly Named[],
): string | undefined {
  for (const [index, each] of resources.entries()) {
    const name = groupResourceText(each)
    const other = [...builtIn, ...resources.slice(0, index)].find((known) => clashes(each, known))
    if (!other) continue
    const isBuiltIn = builtIn.includes(other)
    if (other.group === each.group && other.plural === each.plural)
      return isBuiltIn
        ? `${name}: the server has this resource itself; give the kind another plural name or another group`
        : `${name}: two kinds have this name; name one of them otherwise`
    if (other.group === each.group && other.kind === each.kind)
      return `${name}: ${groupResourceText(other)} has the kind ${each.kind} already; give this kind another name`
    return `${name}: its storagePrefix ${each.storagePrefix} is within or around that of ${groupResourceText(other)} (${other.storagePrefix}), so their objects would mix; give the kind another storagePrefix`
  }
  return undefined
}

function clashes(one: Named, other: Named): boolean {
  const ofGroup = one.group === other.group && (one.plural === other.plural || one.kind === other.kind)
  return (
    ofGroup ||
    isWithin(one.storagePrefix, other.storagePrefix) ||
    isWithin(other.storagePrefix, one.storagePrefix)
  )
}

function isWithin(inner: string, outer: string): boolean {
  return `${inner}/`.startsWith(`${outer}/`)
}
