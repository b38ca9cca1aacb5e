import type { TLSSocket } from 'node:tls'
import type { PeerCertificate } from '../handlers/index.ts'

const remembered = new WeakMap<TLSSocket, PeerCertificate | 'none'>()

/** The certificate shown at the handshake. Looked up once per connection: it stays the same. */
export function peerCertificate(socket: TLSSocket): PeerCertificate | undefined {
  const known = remembered.get(socket)
  if (known !== undefined) return known === 'none' ? undefined : known
  const found = readCertificate(socket)
  remembered.set(socket, found ?? 'none')
  return found
}

function readCertificate(socket: TLSSocket): PeerCertificate | undefined {
  const certificate = socket.getPeerCertificate()
  const subject = certificate.subject as Readonly<Record<string, string | string[] | undefined>> | undefined
  // Without a certificate the library answers with an empty object.
  if (subject === undefined) return undefined
  const { CN, O } = subject
  return {
    isTrusted: socket.authorized,
    // Two names would be two users: then it is nobody.
    commonName: typeof CN === 'string' ? CN : '',
    organizations: O === undefined ? [] : typeof O === 'string' ? [O] : O,
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
  }
}
