import { unrecordedServers } from '../record/agreement-facts.ts'
import type { AgreementView } from '../record/agreement-records.ts'

/**
 * Whether every server that may read or write the resource has an entry, apart from the asking one: every live server, as
 * many as any server expects, and none that writes without recording (rules 11 and 18).
 */
export function isFleetComplete(
  { leases, entries, stored }: AgreementView,
  serverID: string,
  expectedServers: number,
): boolean {
  const heard = new Set([serverID, ...entries.map((each) => each.serverID)])
  const live = [...leases].filter(([, { isIdentity }]) => isIdentity).map(([id]) => id)
  const expected = Math.max(expectedServers, ...entries.map((each) => each.expectedServers ?? 0))
  const present = [...heard].filter((id) => live.includes(id)).length
  return (
    live.every((id) => heard.has(id)) &&
    present >= expected &&
    unrecordedServers(leases, entries).size === 0 &&
    (stored?.record.status.unseenProcesses ?? []).length === 0
  )
}
