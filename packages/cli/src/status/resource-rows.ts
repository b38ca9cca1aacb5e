import { versionNameOf } from '@strata/api'
import type { ResourceStatus } from './resource-status.ts'

export interface RowChoice {
  /** Everything, however much that is. */
  readonly all: boolean
}

/** So many rows are looked at; a table of a hundred is scrolled past. */
const rowsShown = 20

/** Which resources get a row: those about which there is something to say, and of these not too many. */
export function chooseRows(
  resources: readonly ResourceStatus[],
  { all }: RowChoice,
): { readonly rows: readonly ResourceStatus[]; readonly hidden: number } {
  if (all) return { rows: resources, hidden: 0 }
  const loud = resources.filter(hasSomethingToSay)
  const rows = withoutEqual(loud).slice(0, rowsShown)
  return { rows, hidden: loud.length - rows.length }
}

/** When a server is missing, all resources say the same: of rows that differ in nothing but the name these are enough. */
const equalShown = 3

function withoutEqual(resources: readonly ResourceStatus[]): readonly ResourceStatus[] {
  const seen = new Map<string, number>()
  return resources.filter((each) => {
    const said = saidBy(each)
    const count = (seen.get(said) ?? 0) + 1
    seen.set(said, count)
    return count <= equalShown
  })
}

/** All that a row and the lines below it tell, but for its name and its ages. */
function saidBy(each: ResourceStatus): string {
  const { agreedVersion = '', fenced, problems, unreadable, undecodable, refusals, selection } = each
  const cells = Object.values(each.servers).map(
    (entry) =>
      entry && [
        versionNameOf(entry.encodes),
        entry.decodes.map(versionNameOf),
        entry.prefers && versionNameOf(entry.prefers),
        entry.guarantee,
      ],
  )
  const vote = selection && [versionNameOf(selection.selectedVersion), selection.notes]
  return JSON.stringify([
    ...[versionNameOf(agreedVersion), fenced, cells, vote],
    ...[problems, unreadable, undecodable, refusals],
  ])
}

// A gap is no reason: once a feature was switched off, every record has one for good. A line below tells of them.
function hasSomethingToSay({
  agreed,
  unreadable,
  undecodable = [],
  refusals,
  selection,
}: ResourceStatus): boolean {
  if (undecodable.length > 0) return true
  return !agreed || unreadable.length > 0 || refusals.length > 0 || selection?.unanimous === false
}
