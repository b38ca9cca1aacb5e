import { webcrypto } from 'node:crypto'
import 'reflect-metadata'
import {
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsageExtension,
  type Extension,
  X509CertificateGenerator,
} from '@peculiar/x509'

cryptoProvider.set(webcrypto as unknown as Crypto)

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const clientUse = '1.3.6.1.5.5.7.3.2'
const serverUse = '1.3.6.1.5.5.7.3.1'
const dayMs = 86_400_000

export interface Issued {
  /** The certificate, in PEM. */
  readonly cert: string
  readonly key: string
}

export interface IssueOptions {
  readonly organization?: string
  /** For servers, and not for clients. */
  readonly isServer?: boolean
  /** In days from now. */
  readonly from?: number
  readonly to?: number
}

/** A certificate authority, without a file. */
export class TestAuthority {
  readonly cert: string
  readonly #keys: webcrypto.CryptoKeyPair
  readonly #name: string

  private constructor(cert: string, keys: webcrypto.CryptoKeyPair, name: string) {
    this.cert = cert
    this.#keys = keys
    this.#name = name
  }

  /** Signed by itself. With the keys of another, it is that authority with a new certificate. */
  static async create(
    name: string,
    { like, ...limits }: { like?: TestAuthority; from?: number; to?: number } = {},
  ): Promise<TestAuthority> {
    const keys = like ? like.#keys : await keyPair()
    const cert = await X509CertificateGenerator.createSelfSigned({
      ...{ serialNumber: serial(), name: `CN=${name}`, signingAlgorithm: algorithm, keys, ...period(limits) },
      extensions: [new BasicConstraintsExtension(true, undefined, true)],
    })
    return new TestAuthority(cert.toString('pem'), keys, `CN=${name}`)
  }

  /** An authority below this one; with `isAuthority` false, only one that acts as if it were. */
  async below(name: string, isAuthority = true, uses?: readonly string[]): Promise<TestAuthority> {
    const keys = await keyPair()
    const extensions = [
      new BasicConstraintsExtension(isAuthority, undefined, true),
      ...(uses ? [new ExtendedKeyUsageExtension([...uses])] : []),
    ]
    const cert = await this.#sign(`CN=${name}`, keys.publicKey, extensions, {})
    return new TestAuthority(cert, keys, `CN=${name}`)
  }

  async issue(name: string, options: IssueOptions = {}): Promise<Issued> {
    const { organization, isServer = false } = options
    const keys = await keyPair()
    const subject = organization === undefined ? `CN=${name}` : `CN=${name}, O=${organization}`
    const use = new ExtendedKeyUsageExtension([isServer ? serverUse : clientUse])
    const cert = await this.#sign(subject, keys.publicKey, [use], options)
    const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
    return { cert, key: `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n` }
  }

  async #sign(
    subject: string,
    publicKey: webcrypto.CryptoKey,
    extensions: Extension[],
    options: IssueOptions,
  ): Promise<string> {
    const certificate = await X509CertificateGenerator.create({
      ...{ serialNumber: serial(), subject, issuer: this.#name, signingAlgorithm: algorithm, publicKey },
      ...{ signingKey: this.#keys.privateKey, extensions, ...period(options) },
    })
    return `${certificate.toString('pem')}\n`
  }
}

let issued = 1
const serial = (): string => (++issued).toString(16).padStart(4, '0')

function period({ from = -1, to = 2 }: IssueOptions): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() + from * dayMs), notAfter: new Date(Date.now() + to * dayMs) }
}

async function keyPair(): Promise<webcrypto.CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair
}
