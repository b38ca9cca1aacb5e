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

type X509 = Awaited<ReturnType<typeof loadX509>>
type Extensions = readonly InstanceType<X509['Extension']>[]

/** Ten years, and from yesterday: clocks of machines differ. */
function period(nowMs: number): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(nowMs - dayMs), notAfter: new Date(nowMs + 3650 * dayMs) }
}

async function keyPair(): Promise<webcrypto.CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair
}

async function createAuthority(x509: X509, name: string, nowMs: number) {
  const keys = await keyPair()
  const own = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name,
    ...period(nowMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const sign = async (
    serialNumber: string,
    subject: string,
    extensions: Extensions,
  ): Promise<SignedCertificate> => {
    const { publicKey, privateKey } = await keyPair()
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber,
      subject,
      issuer: own.subject,
      ...period(nowMs),
      signingAlgorithm: algorithm,
      publicKey,
      signingKey: keys.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
        ...extensions,
      ],
    })
    return {
      cert: certificate.toString('pem'),
      key: pem(await webcrypto.subtle.exportKey('pkcs8', privateKey)),
    }
  }
  const authority: Authority = {
    cert: own.toString('pem'),
    key: pem(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)),
  }
  return { authority, sign }
}

/** The fleet's own CA, and the certificates that it signs for the servers and the administrator. */
export async function createCertificates(options: {
  readonly hostnames: readonly string[]
  readonly addresses: readonly string[]
  readonly nowMs: number
}): Promise<{ authority: Authority; serving: SignedCertificate; admin: SignedCertificate }> {
  const x509 = await loadX509()
  const { authority, sign } = await createAuthority(x509, 'CN=strata-ca', options.nowMs)
  return {
    authority,
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

/** A CA that vouches for front proxies only, and the certificate by which the servers of a fleet are one. */
export async function createProxyCertificates(
  commonName: string,
  nowMs: number,
): Promise<{ authority: Authority; client: SignedCertificate }> {
  const x509 = await loadX509()
  const { authority, sign } = await createAuthority(x509, 'CN=front-proxy-ca', nowMs)
  const client = await sign('02', `CN=${commonName}`, [new x509.ExtendedKeyUsageExtension([clientUse])])
  return { authority, client }
}
