import { isIdentityLease, type Lease, processAnnotation } from '@strata/api'
import type { ProcessMark } from '@strata/world'

/**
 * Which process holds the Lease at a server's key. `foreign`: no server wrote the Lease, because each server writes the
 * identity label with every renewal. Otherwise: a client deletes the Lease of a server and creates another one of that
 * name; the server takes it for the Lease of a second process and ends.
 */
export function holderOf(
  lease: Lease | undefined,
  process: string,
): 'none' | 'this process' | 'another process' | 'foreign' {
  if (!lease) return 'none'
  if (lease.spec?.holderIdentity === process) return 'this process'
  return isIdentityLease(lease) ? 'another process' : 'foreign'
}

/** The holder's process on its host: another process on that host can tell whether it has ended. */
export function processMark(lease: Lease): ProcessMark | undefined {
  const text = lease.metadata.annotations?.[processAnnotation]
  if (text === undefined) return undefined
  try {
    const { bootId, pid, startTicks } = JSON.parse(text) as Partial<ProcessMark>
    return typeof bootId === 'string' && typeof pid === 'number' && typeof startTicks === 'string'
      ? { bootId, pid, startTicks }
      : undefined
  } catch {
    // Not our annotation, so no proof.
    return undefined
  }
}
