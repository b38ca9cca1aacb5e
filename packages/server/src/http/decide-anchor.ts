import type { X509Certificate } from 'node:crypto'
import type { PeerCertificate } from '../handlers/index.ts'

export type PeerAnchor = PeerCertificate['anchor']

/** The certificates of the authorities, by what they vouch for. */
export interface Anchors {
  readonly client: readonly X509Certificate[]
  readonly requestHeader: readonly X509Certificate[]
}

/** Longer chains are not followed: a client chooses how many certificates it sends. */
const longestChain = 8

/**
 * Which authorities a certificate chains to. TLS has verified the chain against the authorities of both kinds together: it
 * says that one of them vouches for the certificate, and not which. So each kind is looked up for itself, by signatures.
 * `chain` is what the client sent, its own certificate first.
 */
export function decideAnchor(
  chain: readonly X509Certificate[],
  { client, requestHeader }: Anchors,
  nowMs: number,
): PeerAnchor {
  const [leaf, ...others] = chain.slice(0, longestChain)
  if (!leaf) return 'none'
  const reaches = (anchors: readonly X509Certificate[]): boolean => chainsTo(leaf, others, anchors, nowMs)
  const isClient = reaches(client)
  if (reaches(requestHeader)) return isClient ? 'both' : 'request-header'
  return isClient ? 'client' : 'none'
}

function chainsTo(
  certificate: X509Certificate,
  others: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
  nowMs: number,
): boolean {
  if (!isInForce(certificate, nowMs)) return false
  if (anchors.some(({ fingerprint256 }) => fingerprint256 === certificate.fingerprint256)) return true
  if (anchors.some((anchor) => isInForce(anchor, nowMs) && isIssuedBy(certificate, anchor))) return true
  return others.some((issuer) => {
    if (!issuer.ca || !signsClients(issuer) || !isIssuedBy(certificate, issuer)) return false
    // Without it, so that certificates that issued each other end.
    const rest = others.filter((each) => each !== issuer)
    return chainsTo(issuer, rest, anchors, nowMs)
  })
}

/** The names of issuer and subject are not enough: anyone can write them. */
function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

function isInForce({ validFromDate, validToDate }: X509Certificate, nowMs: number): boolean {
  return validFromDate.getTime() <= nowMs && nowMs <= validToDate.getTime()
}

const clientUse = '1.3.6.1.5.5.7.3.2'
const anyUse = '2.5.29.37.0'

/** An intermediate CA may be limited to other uses, such as signing servers. */
function signsClients({ keyUsage }: X509Certificate): boolean {
  // What Node calls the key usage is the extended one. It is missing if there is no limit.
  return !keyUsage || keyUsage.includes(clientUse) || keyUsage.includes(anyUse)
}
