import type { X509Certificate } from 'node:crypto'

/**
 * Whether a certificate of a user may also count as one of a front proxy: an authority of users is an authority of front
 * proxies, or was signed by one. Then every user could name any other, unless front proxies have names of their own.
 */
export function canNameUsers(
  clientAuthorities: readonly X509Certificate[],
  proxyAuthorities: readonly X509Certificate[],
): boolean {
  return clientAuthorities.some((client) =>
    proxyAuthorities.some((proxy) => hasSameKey(client, proxy) || isSignedBy(client, proxy)),
  )
}

/** An authority that was renewed has another certificate, and signs with the same key. */
const hasSameKey = (one: X509Certificate, other: X509Certificate): boolean =>
  one.publicKey.equals(other.publicKey)

const isSignedBy = (one: X509Certificate, other: X509Certificate): boolean =>
  one.checkIssued(other) && one.verify(other.publicKey)
