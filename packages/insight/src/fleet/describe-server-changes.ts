import { type ServerStatus, shownServer } from './server-status.ts'

/** Servers that joined, left, restarted or fell silent. */
export function describeServerChanges(
  before: readonly ServerStatus[],
  after: readonly ServerStatus[],
): string[] {
  const known = new Map(before.map((each) => [each.serverID, each]))
  const now = new Set(after.map(({ serverID }) => serverID))
  return [
    ...before.filter(({ serverID }) => !now.has(serverID)).map((each) => `${shownServer(each)} left`),
    ...after.flatMap((each) => describeServerChange(known.get(each.serverID), each)),
  ]
}

function describeServerChange(before: ServerStatus | undefined, after: ServerStatus): string[] {
  const who = shownServer(after)
  if (!before || (!before.hasLease && after.hasLease)) {
    return [`${who} joined${after.release === undefined ? '' : `, release ${after.release}`}`]
  }
  if (before.hasLease && !after.hasLease) {
    return [`${shownServer(before)} has no Lease any more; its entries are left`]
  }
  return [
    ...(before.process === after.process ? [] : [`${who} restarted${move(before.release, after.release)}`]),
    ...describeSilence(before, after, who),
    ...(!before.refusesEncryptionFile && after.refusesEncryptionFile
      ? [`${who} rejected its changed encryption file: its log says why`]
      : []),
    ...(before.refusesEncryptionFile && !after.refusesEncryptionFile
      ? [`${who} uses its encryption file again`]
      : []),
    ...(before.recordsWrites && !after.recordsWrites ? [`${who} writes without recording from now on`] : []),
    ...(!before.recordsWrites && after.recordsWrites ? [`${who} records its writes again`] : []),
  ]
}

function move(before: string | undefined, after: string | undefined): string {
  return before === after ? '' : `, release ${before ?? 'unknown'} → ${after ?? 'unknown'}`
}

function describeSilence(before: ServerStatus, after: ServerStatus, who: string): string[] {
  if (before.silentSeconds === undefined && after.silentSeconds !== undefined) return [`${who} is silent`]
  return before.silentSeconds !== undefined && after.silentSeconds === undefined
    ? [`${who} renews its Lease again`]
    : []
}
