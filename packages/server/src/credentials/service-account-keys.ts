import { generateKeyPairSync } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { World } from '@strata/world'
import {
  defaultIssuer,
  readSigningKey,
  readVerificationKeys,
  type ServiceAccountTokenOptions,
  type SigningKey,
  UnusableKey,
  type VerificationKey,
} from '../authentication/index.ts'
import { ConfigurationProblem, errorCode } from '../configuration/index.ts'

/** The flags for service account tokens, with kube-apiserver's names. */
export interface ServiceAccountFlags {
  readonly serviceAccountIssuer?: readonly string[] | undefined
  readonly serviceAccountKeyFile?: readonly string[] | undefined
  readonly serviceAccountSigningKeyFile?: string | undefined
  readonly apiAudiences?: readonly string[] | undefined
  readonly serviceAccountMaxTokenExpirationMs?: number | undefined
  readonly serviceAccountJwksUri?: string | undefined
}

/**
 * Loads the keys of a fleet. Its servers share the key in their credentials directory, created on the first start, or get
 * the same files by flags: every server must accept the tokens of the others.
 */
export async function loadServiceAccountTokens(
  flags: ServiceAccountFlags,
  directory: string,
  world: World,
): Promise<ServiceAccountTokenOptions> {
  const { serviceAccountSigningKeyFile: file, serviceAccountKeyFile: files = [] } = flags
  const signingKey = file === undefined ? await ensureKey(directory, world) : await readGivenKey(file)
  const verificationKeys = new Map<string, VerificationKey>([[signingKey.keyId, signingKey]])
  for (const path of files) {
    const text = await read('--service-account-key-file', path)
    const keys = explain('--service-account-key-file', path, () => readVerificationKeys(text))
    for (const key of keys) verificationKeys.set(key.keyId, key)
  }
  const [first = defaultIssuer, ...others] = flags.serviceAccountIssuer ?? []
  const issuers = [first, ...others] as const
  for (const issuer of issuers) checkIssuer(issuer)
  const { apiAudiences = [], serviceAccountMaxTokenExpirationMs: maxMs, serviceAccountJwksUri } = flags
  checkMaxExpiration(maxMs)
  return {
    issuers,
    apiAudiences: apiAudiences.length > 0 ? apiAudiences : issuers,
    signingKey,
    verificationKeys: [...verificationKeys.values()],
    maxLifeSeconds: maxMs ? Math.floor(maxMs / 1000) : undefined,
    jwksUri: serviceAccountJwksUri,
  }
}

/** As upstream: an issuer with a scheme must be a URL, and none may be empty. */
function checkIssuer(issuer: string): void {
  if (issuer !== '' && (!issuer.includes(':') || URL.canParse(issuer))) return
  throw new ConfigurationProblem(
    `--service-account-issuer ${issuer}: must be a URL, such as ${defaultIssuer}`,
  )
}

const leastMs = 3_600_000

/** As upstream; 0 is no limit. */
function checkMaxExpiration(maxMs: number | undefined): void {
  if (!maxMs || (maxMs >= leastMs && maxMs <= 2 ** 32 * 1000)) return
  throw new ConfigurationProblem(
    '--service-account-max-token-expiration: must be between 1h and 2^32 seconds, or 0 for no limit',
  )
}

async function readGivenKey(file: string): Promise<SigningKey> {
  const text = await read('--service-account-signing-key-file', file)
  return explain('--service-account-signing-key-file', file, () => readSigningKey(text))
}

async function read(flag: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    const code = errorCode(error)
    const why = code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`
    throw new ConfigurationProblem(`${flag} ${path}: ${why}`, { cause: error })
  })
}

function explain<T>(flag: string, path: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof UnusableKey)) throw error
    throw new ConfigurationProblem(`${flag} ${path}: ${error.message}`, { cause: error })
  }
}

/** Written to another file and linked into place: of servers that start together, the first one's key is used by all. */
async function ensureKey(directory: string, world: World): Promise<SigningKey> {
  const path = join(directory, 'sa.key')
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined
    throw new ConfigurationProblem(`--cert-dir ${directory}: sa.key cannot be read (${errorCode(error)})`)
  })
  if (text !== undefined) return explain('--cert-dir', path, () => readSigningKey(text))
  const aside = `${path}.${world.processes.self.pid}.new`
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  try {
    await writeFile(aside, pem, { mode: 0o600 })
    await link(aside, path)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') {
      throw new ConfigurationProblem(`--cert-dir ${directory}: cannot be written (${errorCode(error)})`, {
        cause: error,
      })
    }
  } finally {
    await rm(aside, { force: true })
  }
  return readSigningKey(await readFile(path, 'utf8'))
}
