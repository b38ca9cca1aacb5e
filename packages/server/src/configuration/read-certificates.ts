import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { ConfigurationProblem, errorCode } from './configuration-problem.ts'

const certificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Reads and checks a file of CA certificates: TLS silently accepts a file without certificates, and then trusts no client. */
export async function readAuthorities(flag: string, path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new ConfigurationProblem(`${flag} ${path}: cannot be read (${errorCode(error)})`)
  })
  const found = text.match(certificates) ?? []
  if (found.length === 0) throw new ConfigurationProblem(`${flag}: no certificate in ${path}`)
  for (const [index, each] of found.entries()) {
    try {
      new X509Certificate(each)
    } catch (error) {
      throw new ConfigurationProblem(
        `${flag} ${path}: certificate ${index + 1} cannot be read (${errorCode(error)})`,
      )
    }
  }
  return text
}
