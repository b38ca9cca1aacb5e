import { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '@strata/world'
import { type Anchors, decideAnchor, type PeerAnchor } from './decide-anchor.ts'

/** The CAs of client certificates, in PEM. With an empty text, clients are asked for certificates that none vouches for. */
export interface Authorities {
  /** Signs certificates of users. */
  readonly clientCa?: string | undefined
  /** Signs certificates of front proxies. */
  readonly requestHeaderCa?: string | undefined
}

const pemCertificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
/** How many clients with intermediate certificates are remembered. */
const rememberedChains = 1_000

/** Tells which authority vouches for a client. */
export class PeerAuthorities {
  readonly #clock: Clock
  #anchors: Anchors
  /**
   * The certificates between the client's and an authority's, by the fingerprint of the client's. A resumed TLS session
   * shows the client's own certificate only. They are public, and are verified again each time.
   */
  readonly #sent = new Map<string, readonly X509Certificate[]>()

  constructor(authorities: Authorities, clock: Clock) {
    this.#clock = clock
    this.#anchors = anchorsOf(authorities)
  }

  /** Changes with the authorities: what was judged before has to be judged again. */
  get generation(): object {
    return this.#anchors
  }

  /** Other authorities, also for connections that are open, and those that resume a session. */
  use(authorities: Authorities): void {
    this.#anchors = anchorsOf(authorities)
  }

  get nowMs(): number {
    return this.#clock.wallMs()
  }

  /** Which authority vouches for the client now, and how long that holds. */
  judge(socket: TLSSocket): { readonly anchor: PeerAnchor; readonly untilMs: number } {
    // It has checked the dates, the uses and the limits of the chain, as they were at the handshake.
    const [leaf, ...others] = socket.authorized ? chainOf(socket) : []
    if (!leaf) return { anchor: 'none', untilMs: Number.POSITIVE_INFINITY }
    const chain = [leaf, ...this.#withSent(leaf, others)]
    const { client, requestHeader } = this.#anchors
    const { nowMs } = this
    return {
      anchor: decideAnchor(chain, this.#anchors, nowMs),
      untilMs: nextExpiry([...chain, ...client, ...requestHeader], nowMs),
    }
  }

  #withSent({ fingerprint256 }: X509Certificate, others: readonly X509Certificate[]) {
    const known = this.#sent.get(fingerprint256)
    const between = others.filter(({ subject, issuer }) => subject !== issuer)
    if (between.length === 0) return known ?? others
    if (!known) {
      const [oldest] = this.#sent.keys()
      if (this.#sent.size >= rememberedChains && oldest !== undefined) this.#sent.delete(oldest)
      this.#sent.set(fingerprint256, between)
    }
    return others
  }
}

/** When the first of the certificates that are valid now expires. */
function nextExpiry(certificates: readonly X509Certificate[], nowMs: number): number {
  const ends = certificates.map(({ validToDate }) => validToDate.getTime()).filter((endMs) => endMs >= nowMs)
  return Math.min(...ends)
}

/** What TLS needs to verify clients. */
export function trustedBy({ clientCa = '', requestHeaderCa = '' }: Authorities): string[] {
  return [clientCa, requestHeaderCa].filter((each) => each !== '')
}

function anchorsOf({ clientCa, requestHeaderCa }: Authorities): Anchors {
  return { client: certificatesOf(clientCa), requestHeader: certificatesOf(requestHeaderCa) }
}

function certificatesOf(pem = ''): X509Certificate[] {
  return (pem.match(pemCertificates) ?? []).map((each) => new X509Certificate(each))
}

function chainOf(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = []
  const seen = new Set<string>()
  let next = socket.getPeerCertificate(true)
  // The last one is its own issuer, or has none.
  while (next?.raw && !seen.has(next.fingerprint256)) {
    seen.add(next.fingerprint256)
    chain.push(new X509Certificate(next.raw))
    next = next.issuerCertificate
  }
  return chain
}
