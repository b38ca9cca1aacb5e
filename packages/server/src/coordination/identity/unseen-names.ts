import { type StorageAgreement, type UnseenServer, unseenServersOf } from '@strata/api'
import { isProcessOf } from './server-id.ts'

/**
 * More than a fleet has servers. Each kill under a new host name leaves a name, and there may be no collector to remove it.
 */
export const mostUnseen = 64

/**
 * Runs of a server whose writes are guarded by their name in this record, so any server may remove the name. A run of an
 * earlier release has no such guard and may commit after its name has gone: no other server removes that name.
 */
export function guardedRunsOf(record: StorageAgreement, serverID: string): readonly string[] {
  return unseenServersOf(record)
    .map(({ process }) => process)
    .filter((process) => isProcessOf(serverID, process))
}

/**
 * The names in a record after a process without an identity has added its own. If there are too many, the oldest guarded
 * names go; processes that live add theirs again.
 */
export function withUnseen(record: StorageAgreement | undefined, process: string): readonly string[] {
  const others = (record?.status.unseenProcesses ?? []).filter((each) => each !== process)
  const tooMany = Math.max(0, others.length + 1 - mostUnseen)
  const oldest = (record ? unseenServersOf(record) : [])
    .filter((each) => others.includes(each.process))
    .sort(byAge)
    .slice(0, tooMany)
    .map((each) => each.process)
  return [...others.filter((each) => !oldest.includes(each)), process].sort()
}

function byAge(a: UnseenServer, b: UnseenServer): number {
  return a.since === b.since ? (a.process < b.process ? -1 : 1) : a.since < b.since ? -1 : 1
}
