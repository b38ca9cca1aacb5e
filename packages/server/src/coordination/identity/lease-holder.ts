import { isIdentityLease, type Lease, processAnnotation } from '@strata/api'
import type { ProcessMark } from '@strata/world'

/**
 * Who holds the Lease at a server's key. `foreign`: no server does, though a Lease is there, because each server writes the
 * identity label with every renewal. Otherwise: a client deletes the Lease of a server, creates another one of that name,
 * and the server takes it for the Lease of a second process and ends.
 */
export function holderOf(
  lease: Lease | undefined,
  process: string,
): 'nobody' | 'this process' | 'another process' | 'foreign' {
  if (!lease) return 'nobody'
  if (lease.spec?.holderIdentity === process) return 'this process'
  return isIdentityLease(lease) ? 'another process' : 'foreign'
}

/** By which another process of the same host can tell whether the holder has ended. */
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
