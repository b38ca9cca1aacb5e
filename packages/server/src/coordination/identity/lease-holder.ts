import { isIdentityLease, type Lease } from '@strata/api'

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
