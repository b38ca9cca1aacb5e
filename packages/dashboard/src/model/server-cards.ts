import { formatSeconds, type ServerStatus } from '@strata/insight'
import type { ServerPlace } from './server-places.ts'

export interface ServerCard {
  readonly serverID: string
  /** S1, S2, …: the heading of its column. */
  readonly name: string
  readonly instance: string
  readonly release: string | undefined
  /** `gone`: entries of it are left. `left`: it keeps its place for a while, and nothing of it is left. */
  readonly state: 'alive' | 'silent' | 'gone' | 'left'
  /** When its Lease was renewed last. */
  readonly renewed: string | undefined
  /** What is the matter with it. */
  readonly note: string | undefined
}

export function describeCard({ server, leftMs }: ServerPlace): ServerCard {
  const { serverID, name, instance, release, renewed, hasLease, silentSeconds } = server
  return {
    ...{ serverID, name, instance: instance ?? serverID, release },
    ...(leftMs === undefined ? { renewed, note: noteOf(server) } : { renewed: undefined, note: undefined }),
    state:
      leftMs !== undefined ? 'left' : !hasLease ? 'gone' : silentSeconds === undefined ? 'alive' : 'silent',
  }
}

function noteOf({
  hasLease,
  silentSeconds,
  refuses = [],
  recordsWrites,
  ...rest
}: ServerStatus): string | undefined {
  if (!hasLease) return 'gone; its entries are left'
  if (silentSeconds !== undefined) return `silent for ${formatSeconds(silentSeconds)}`
  if (!recordsWrites) return 'writes without recording'
  if (refuses.length > 0)
    return `refuses ${refuses.length === 1 ? refuses[0] : `${refuses.length} resources`}`
  return rest.refusesEncryptionFile ? 'rejected its changed encryption file' : undefined
}
