import { type ServerStatus, shownServer } from './server-status.ts'

/** `silent` and `renews`: a silence begins and ends. `configured`: it does something else than before. */
export type ServerChangeKind = 'joined' | 'left' | 'restarted' | 'silent' | 'renews' | 'configured'

export interface ServerChange {
  readonly kind: ServerChangeKind
  readonly text: string
}

/** Servers that joined, left, restarted or fell silent. */
export function describeServerChanges(
  before: readonly ServerStatus[],
  after: readonly ServerStatus[],
): readonly ServerChange[] {
  const known = new Map(before.map((each) => [each.serverID, each]))
  const now = new Set(after.map(({ serverID }) => serverID))
  return [
    ...before
      .filter(({ serverID }) => !now.has(serverID))
      .map((each) => change('left', `${shownServer(each)} left`)),
    ...after.flatMap((each) => describeServerChange(known.get(each.serverID), each)),
  ]
}

const change = (kind: ServerChangeKind, text: string): ServerChange => ({ kind, text })

function describeServerChange(before: ServerStatus | undefined, after: ServerStatus): ServerChange[] {
  const who = shownServer(after)
  if (!before || (!before.hasLease && after.hasLease)) {
    return [
      change('joined', `${who} joined${after.release === undefined ? '' : `, release ${after.release}`}`),
    ]
  }
  if (before.hasLease && !after.hasLease) {
    return [change('left', `${shownServer(before)} has no Lease any more; its entries are left`)]
  }
  return [
    ...(before.process === after.process
      ? []
      : [change('restarted', `${who} restarted${move(before.release, after.release)}`)]),
    ...describeSilence(before, after, who),
    ...describeConfiguration(before, after).map((text) => change('configured', `${who} ${text}`)),
  ]
}

function describeConfiguration(before: ServerStatus, after: ServerStatus): string[] {
  return [
    ...(!before.refusesEncryptionFile && after.refusesEncryptionFile
      ? ['rejected its changed encryption file: its log says why']
      : []),
    ...(before.refusesEncryptionFile && !after.refusesEncryptionFile
      ? ['uses its encryption file again']
      : []),
    ...(before.recordsWrites && !after.recordsWrites ? ['writes without recording from now on'] : []),
    ...(!before.recordsWrites && after.recordsWrites ? ['records its writes again'] : []),
  ]
}

function move(before: string | undefined, after: string | undefined): string {
  return before === after ? '' : `, release ${before ?? 'unknown'} → ${after ?? 'unknown'}`
}

function describeSilence(before: ServerStatus, after: ServerStatus, who: string): ServerChange[] {
  if (before.silentSeconds === undefined && after.silentSeconds !== undefined)
    return [change('silent', `${who} is silent`)]
  return before.silentSeconds !== undefined && after.silentSeconds === undefined
    ? [change('renews', `${who} renews its Lease again`)]
    : []
}
