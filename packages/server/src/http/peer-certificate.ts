import type { TLSSocket } from 'node:tls'
import type { PeerCertificate } from '../handlers/index.ts'
import type { PeerAuthorities } from './peer-authorities.ts'

interface Judged {
  readonly by: object
  /** A connection may be open for longer than its certificate is valid. */
  readonly untilMs: number
  readonly certificate: PeerCertificate | undefined
}

const remembered = new WeakMap<TLSSocket, Judged>()

/**
 * The client certificate of the handshake. Read and judged once per connection, and again by other authorities or when a
 * certificate of the chain expires.
 */
export function peerCertificate(
  socket: TLSSocket,
  authorities: PeerAuthorities,
): PeerCertificate | undefined {
  const known = remembered.get(socket)
  const by = authorities.generation
  if (known?.by === by && authorities.nowMs <= known.untilMs) return known.certificate
  const { certificate, untilMs } = readCertificate(socket, authorities)
  remembered.set(socket, { by, untilMs, certificate })
  return certificate
}

function readCertificate(socket: TLSSocket, authorities: PeerAuthorities): Omit<Judged, 'by'> {
  const certificate = socket.getPeerCertificate()
  const subject = certificate.subject as Readonly<Record<string, string | string[] | undefined>> | undefined
  // Without a certificate, Node returns an empty object.
  if (subject === undefined) return { certificate: undefined, untilMs: Number.POSITIVE_INFINITY }
  const { CN, O } = subject
  const { anchor, untilMs } = authorities.judge(socket)
  return {
    certificate: {
      anchor,
      // Two common names would be two users, so the certificate names none.
      commonName: typeof CN === 'string' ? CN : '',
      organizations: O === undefined ? [] : typeof O === 'string' ? [O] : O,
      fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    },
    untilMs,
  }
}
