import { type StorageAgreement, type UnseenServer, unseenServersOf } from '@strata/api'
import { isProcessOf } from './server-id.ts'

/**
 * More processes without an identity than a fleet has servers. Each kill under a new host name leaves a name, and nobody
 * may be there to remove it.
 */
export const mostUnseen = 64

/**
 * Runs of a server whose writes are guarded by their name in this record: it may be removed whether or not they have
 * ended. A run of a release without that guard may commit at any time after its name has gone. No other server removes it.
 */
export function guardedRunsOf(record: StorageAgreement, serverID: string): readonly string[] {
  return unseenServersOf(record)
    .map(({ process }) => process)
    .filter((process) => isProcessOf(serverID, process))
}

/**
 * The names after a process without an identity has put itself in. Where there are too many names, the oldest guarded ones
 * go; those that live come back.
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
