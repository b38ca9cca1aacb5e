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
  return { rows: loud.slice(0, rowsShown), hidden: Math.max(0, loud.length - rowsShown) }
}

// A gap is no reason: once a feature was switched off, every record has one for good. A line below tells of them.
function hasSomethingToSay({ agreed, unreadable, refusals, selection }: ResourceStatus): boolean {
  return !agreed || unreadable.length > 0 || refusals.length > 0 || selection?.unanimous === false
}
