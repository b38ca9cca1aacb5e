import type { AgreementEntry } from './storage-agreement.ts'

/** A server that waits to write with another key, and the servers that block it (rule 17). */
export interface KeyWait {
  readonly serverID: string
  readonly wantedKey: string
  /** Sorted; empty while a server has not yet reported what it reads. */
  readonly unreadBy: readonly string[]
}

/** The servers that wait for a key that other servers do not read yet, from the entries of one record. */
export function keyWaitsOf(
  entries: readonly Pick<AgreementEntry, 'serverID' | 'wantedKey' | 'readableKeys'>[],
): KeyWait[] {
  return entries.flatMap(({ serverID, wantedKey }) => {
    if (wantedKey === undefined) return []
    // By its very name: that a KMS may open a key does not say that its plugin knows it.
    const unreadBy = entries
      .filter((each) => each.serverID !== serverID && !each.readableKeys.includes(wantedKey))
      .map((each) => each.serverID)
      .sort()
    return [{ serverID, wantedKey, unreadBy }]
  })
}

/** A message: the awaited key, the servers that block it, and what to do. Servers have the names that the reader knows. */
export function keyWaitText(
  { serverID, wantedKey, unreadBy }: KeyWait,
  shown: (serverID: string) => string = (id) => id,
): string {
  const waits = `${shown(serverID)} waits to write under ${wantedKey}`
  const [first, ...more] = unreadBy.map(shown)
  if (first === undefined) return `${waits}: not every server has reported its keys yet`
  const [does, them] = more.length === 0 ? ['does', 'it'] : ['do', 'them']
  const plugin = wantedKey.startsWith('kms:') ? ', and check the KMS plugin there' : ''
  return `${waits}: ${[first, ...more].join(', ')} ${does} not read it; give ${them} the same --encryption-provider-config${plugin}`
}
