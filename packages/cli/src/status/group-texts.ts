import type { ResourceStatus } from './resource-status.ts'

/** So many names are read; more are counted. */
const namesShown = 3

/**
 * What is said of several resources in the same words is said once: when a server starts, a hundred resources
 * miss its entry, and the two that have another problem must not drown in that.
 */
export function groupTexts(
  resources: readonly ResourceStatus[],
  of: (each: ResourceStatus) => readonly string[],
): string[] {
  const groups = new Map<string, string[]>()
  for (const each of resources) {
    for (const text of of(each)) groups.set(text, [...(groups.get(text) ?? []), each.resource])
  }
  return [...groups].map(([text, names]) => `${shownNames(names)}: ${text}`)
}

export function shownNames(names: readonly string[]): string {
  if (names.length <= namesShown) return names.join(', ')
  return `${names.length} resources (${names.slice(0, namesShown - 1).join(', ')}, …)`
}
