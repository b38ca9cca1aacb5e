import type { ResourceStatus } from './resource-status.ts'

/** More names than this are counted instead. */
const namesShown = 3

/**
 * Prints a text once for all resources that share it. When a server starts, a hundred resources miss its entry, and the two
 * with another problem must not get lost.
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
