import type { AggregatedStatus } from '@strata/insight'
import { chooseRows, type RowChoice, renderAlarms, renderVerdict } from '@strata/insight'
import type { Section } from '../output/report.ts'
import { legendOf, tableOfRows } from './render-rows.ts'

/** A section for each group of aggregated servers. Servers are named by their instance: S1, S2, … are those of this cluster. */
export function sectionsOfAggregated(
  groups: readonly AggregatedStatus[],
  nowMs: number,
  options: RowChoice & { readonly wide: boolean },
): Section[] {
  return groups.map((group) => {
    const { servers, resources, unseen } = group
    const lead = [headOf(group)]
    if (unseen !== undefined)
      return { lead, notes: [`Not seen, so nothing is known to be agreed: ${unseen}`] }
    const { rows, hidden } = chooseRows(resources, options)
    const what = `every resource of ${group.group}`
    const notes = [
      ...legendOf(rows, servers),
      ...(hidden === 0 ? [] : [`… and ${hidden} more that need attention (--all shows them)`]),
      ...renderAlarms(resources),
      renderVerdict({ resources, problems: [], what }, rows.length + hidden),
    ]
    const table = rows.length === 0 ? {} : { table: tableOfRows(rows, servers, nowMs, options) }
    return { lead, ...table, notes: notes.filter((part) => part !== '') }
  })
}

function headOf({ group, apiServices }: AggregatedStatus): string {
  return `aggregated: ${group}${apiServices.length === 0 ? '' : ` (APIService ${apiServices.join(', ')})`}`
}
