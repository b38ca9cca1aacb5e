import { webcrypto } from 'node:crypto'

export interface Authority {
  readonly cert: string
  readonly key: string
}

export interface SignedCertificate {
  readonly cert: string
  readonly key: string
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const dayMs = 86_400_000
const serverUse = '1.3.6.1.5.5.7.3.1'
const clientUse = '1.3.6.1.5.5.7.3.2'

/** The library is loaded only to create a certificate: once per fleet, never on a restart. */
async function loadX509() {
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  x509.cryptoProvider.set(webcrypto as unknown as Crypto)
  return x509
}

function pem(der: ArrayBuffer): string {
  const base64 = Buffer.from(der).toString('base64').replace(/.{64}/g, '$&\n').trimEnd()
  return `-----BEGIN PRIVATE KEY-----\n${base64}\n-----END PRIVATE KEY-----\n`
}

/** The fleet's own CA, and the certificates that it signs for the servers and the administrator. */
export async function createCertificates(options: {
  readonly hostnames: readonly string[]
  readonly addresses: readonly string[]
  readonly nowMs: number
}): Promise<{ authority: Authority; serving: SignedCertificate; admin: SignedCertificate }> {
  const x509 = await loadX509()
  const notBefore = new Date(options.nowMs - dayMs)
  const notAfter = new Date(options.nowMs + 3650 * dayMs)
  const keysOf = (): Promise<webcrypto.CryptoKeyPair> =>
    webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>

  const authorityKeys = await keysOf()
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=strata-ca',
    notBefore,
    notAfter,
    signingAlgorithm: algorithm,
    keys: authorityKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  })
  const sign = async (
    serialNumber: string,
    subject: string,
    extensions: InstanceType<typeof x509.Extension>[],
  ): Promise<SignedCertificate> => {
    const keys = await keysOf()
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber,
      subject,
      issuer: authority.subject,
      notBefore,
      notAfter,
      signingAlgorithm: algorithm,
      publicKey: keys.publicKey,
      signingKey: authorityKeys.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        await x509.AuthorityKeyIdentifierExtension.create(authorityKeys.publicKey),
        ...extensions,
      ],
    })
    return {
      cert: certificate.toString('pem'),
      key: pem(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)),
    }
  }
  return {
    authority: {
      cert: authority.toString('pem'),
      key: pem(await webcrypto.subtle.exportKey('pkcs8', authorityKeys.privateKey)),
    },
    serving: await sign('02', 'CN=kube-apiserver', [
      new x509.ExtendedKeyUsageExtension([serverUse]),
      new x509.SubjectAlternativeNameExtension([
        ...options.hostnames.map((value) => ({ type: 'dns' as const, value })),
        ...options.addresses.map((value) => ({ type: 'ip' as const, value })),
      ]),
    ]),
    admin: await sign('03', 'CN=admin, O=system:masters', [new x509.ExtendedKeyUsageExtension([clientUse])]),
  }
}
