import type { AggregatedStatus } from './aggregated-status.ts'
import { legendOf, renderRows } from './render-rows.ts'
import { renderAlarms, renderVerdict } from './render-verdict.ts'
import { chooseRows, type RowChoice } from './resource-rows.ts'

/** A section for each group of aggregated servers. Servers are named by their instance: S1, S2, … are those of this cluster. */
export function renderAggregated(
  groups: readonly AggregatedStatus[],
  nowMs: number,
  options: RowChoice & { readonly wide: boolean },
): string[] {
  return groups.map((group) => {
    const { servers, resources, unseen } = group
    if (unseen !== undefined) return `${headOf(group)}\nNot seen, so nothing is known to be agreed: ${unseen}`
    const { rows, hidden } = chooseRows(resources, options)
    const table =
      rows.length === 0 ? [] : [renderRows(rows, servers, nowMs, options), ...legendOf(rows, servers)]
    const what = `every resource of ${group.group}`
    const parts = [
      headOf(group),
      ...table,
      ...(hidden === 0 ? [] : [`… and ${hidden} more that need attention (--all shows them)`]),
      ...renderAlarms(resources),
      renderVerdict({ resources, problems: [], what }, rows.length + hidden),
    ]
    return parts.filter((part) => part !== '').join('\n')
  })
}

function headOf({ group, apiServices }: AggregatedStatus): string {
  return `aggregated: ${group}${apiServices.length === 0 ? '' : ` (APIService ${apiServices.join(', ')})`}`
}
