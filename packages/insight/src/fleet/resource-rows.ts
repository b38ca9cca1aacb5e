import { versionNameOf } from '@strata/api'
import type { ResourceStatus } from './resource-status.ts'

export interface RowChoice {
  /** Every resource. */
  readonly all: boolean
}

/** A table of a hundred rows is not read. */
const rowsShown = 20

/** Chooses the resources with a row: those that need attention, and not too many of them. */
export function chooseRows(
  resources: readonly ResourceStatus[],
  { all }: RowChoice,
): { readonly rows: readonly ResourceStatus[]; readonly hidden: number } {
  if (all) return { rows: resources, hidden: 0 }
  const chosen = resources.filter(needsAttention)
  const rows = withoutEqual(chosen).slice(0, rowsShown)
  return { rows, hidden: chosen.length - rows.length }
}

/** When a server is missing, all rows are equal but for the name; this many of them are enough. */
const equalShown = 3

function withoutEqual(resources: readonly ResourceStatus[]): readonly ResourceStatus[] {
  const seen = new Map<string, number>()
  return resources.filter((each) => {
    const content = contentOf(each)
    const count = (seen.get(content) ?? 0) + 1
    seen.set(content, count)
    return count <= equalShown
  })
}

/** The content of a row and its messages, without name and ages. */
function contentOf(each: ResourceStatus): string {
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

// A recording gap is no reason: after a feature was off once, every record has one. A note shows them.
function needsAttention({
  agreed,
  unreadable,
  undecodable = [],
  refusals,
  selection,
}: ResourceStatus): boolean {
  if (undecodable.length > 0) return true
  return !agreed || unreadable.length > 0 || refusals.length > 0 || selection?.unanimous === false
}
