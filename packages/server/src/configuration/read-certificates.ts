import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { ConfigurationProblem, errorCode } from './configuration-problem.ts'

const certificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** The certificates of a PEM text, or which one cannot be read. */
export function parseCertificates(text: string): X509Certificate[] | UnreadableCertificate {
  const parsed: X509Certificate[] = []
  for (const [index, each] of (text.match(certificates) ?? []).entries()) {
    try {
      parsed.push(new X509Certificate(each))
    } catch (error) {
      const [number, code] = [index + 1, errorCode(error)]
      return { problem: `certificate ${number} cannot be read (${code})`, number, code }
    }
  }
  return parsed
}

interface UnreadableCertificate {
  readonly problem: string
  /** Counted from 1. */
  readonly number: number
  readonly code: string | undefined
}

/** Reads and checks a file of CA certificates: TLS silently accepts a file without certificates, and then trusts no client. */
export async function readAuthorities(flag: string, path: string): Promise<string> {
  const text = await readText(flag, path)
  const found = parseCertificates(text)
  if ('problem' in found) {
    const { number, code } = found
    throw new ConfigurationProblem(`${flag} ${path}: certificate ${number} cannot be read (${code})`)
  }
  if (found.length === 0) throw new ConfigurationProblem(`${flag}: no certificate in ${path}`)
  return text
}

/** A client certificate and its key, in PEM. */
export interface ClientIdentity {
  readonly cert: string
  readonly key: string
}

type NamedFile = readonly [flag: string, path: string | undefined]

/** Undefined if neither file is given. */
export async function readClientIdentity(
  [certFlag, certPath]: NamedFile,
  [keyFlag, keyPath]: NamedFile,
): Promise<ClientIdentity | undefined> {
  if (certPath === undefined && keyPath === undefined) return undefined
  if (certPath === undefined || keyPath === undefined) {
    const [given, missing] = certPath === undefined ? [keyFlag, certFlag] : [certFlag, keyFlag]
    throw new ConfigurationProblem(`${given}: needs ${missing} too`)
  }
  const identity = { cert: await readText(certFlag, certPath), key: await readText(keyFlag, keyPath) }
  try {
    createSecureContext(identity)
  } catch (error) {
    throw new ConfigurationProblem(
      `${certFlag} ${certPath}: no certificate with its key in ${keyPath} (${errorCode(error)})`,
    )
  }
  return identity
}

function readText(flag: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new ConfigurationProblem(`${flag} ${path}: cannot be read (${errorCode(error)})`)
  })
}
