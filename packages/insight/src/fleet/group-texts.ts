import { migrateCommand } from '@strata/api'
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
  return groupByText(resources.flatMap((each) => of(each).map((text) => ({ resource: each.resource, text }))))
}

/** A text may have the command that migrates its resource. It becomes one command for all of them. */
export function groupByText(all: readonly { readonly resource: string; readonly text: string }[]): string[] {
  const migrating = ({ resource, text }: (typeof all)[number], names: string): string =>
    text.replaceAll(migrateCommand(resource), migrateCommand(names))
  return [...Map.groupBy(all, (each) => migrating(each, '…')).values()].map((alike) => {
    const names = alike.map(({ resource }) => resource)
    return `${shownNames(names)}: ${alike.slice(0, 1).map((each) => migrating(each, commandNames(names)))}`
  })
}

/** The resources as arguments of a command. */
export const commandNames = (names: readonly string[]): string =>
  names.length <= namesShown ? names.join(' ') : '--all'

export function shownNames(names: readonly string[]): string {
  if (names.length <= namesShown) return names.join(', ')
  return `${names.length} resources (${names.slice(0, namesShown - 1).join(', ')}, …)`
}
