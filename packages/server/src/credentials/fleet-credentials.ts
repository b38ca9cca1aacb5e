import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import type { World } from '@strata/world'
import { ConfigurationProblem, errorCode, makeDirectory } from '../configuration/index.ts'
import { createCertificates } from './certificates.ts'

export interface FleetCredentials {
  readonly caFile: string
  readonly tls: { readonly cert: string; readonly key: string }
  readonly tokenFile: string
  readonly adminToken: string
}

/**
 * The credentials of a fleet, created on the first start: a CA, a serving certificate, and a token and a certificate for
 * the administrator. They are written to another directory and renamed, so that servers that start together use one set:
 * the first rename wins, the others load its files.
 */
export async function ensureCredentials(
  directory: string,
  world: World,
  /** Further host names of the serving certificate, if it is created. */
  hostnames: readonly string[] = [],
): Promise<FleetCredentials> {
  const found = await load(directory)
  if (found) return found
  const aside = `${directory}.${world.processes.self.pid}.new`
  await makeDirectory(dirname(directory), '--cert-dir')
  await mkdir(aside, { recursive: true, mode: 0o700 })
  const names = [
    'localhost',
    hostname(),
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    ...hostnames,
  ]
  const { authority, serving, admin } = await createCertificates({
    hostnames: [...new Set(names)],
    addresses: ['127.0.0.1', '::1'],
    nowMs: world.clock.wallMs(),
  })
  const token = Buffer.from(world.random.bytes(24)).toString('base64url')
  const files: Readonly<Record<string, string>> = {
    'ca.crt': authority.cert,
    'ca.key': authority.key,
    'apiserver.crt': serving.cert,
    'apiserver.key': serving.key,
    'admin.crt': admin.cert,
    'admin.key': admin.key,
    'tokens.csv': `${token},admin,admin,"system:masters"\n`,
    'admin.token': token,
  }
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(aside, name), text, { mode: 0o600 })
  }
  try {
    await rename(aside, directory)
  } catch {
    // Another server was faster. Its files are there, or the load below reports the problem.
    await rm(aside, { recursive: true, force: true })
  }
  const made = await load(directory)
  if (!made) {
    throw new ConfigurationProblem(
      `--cert-dir ${directory}: files are missing; remove the directory, and the server creates it again`,
    )
  }
  return made
}

async function load(directory: string): Promise<FleetCredentials | undefined> {
  try {
    const read = (name: string): Promise<string> => readFile(join(directory, name), 'utf8')
    const [cert, key, adminToken] = await Promise.all([
      read('apiserver.crt'),
      read('apiserver.key'),
      read('admin.token'),
    ])
    return {
      caFile: join(directory, 'ca.crt'),
      tls: { cert, key },
      tokenFile: join(directory, 'tokens.csv'),
      adminToken,
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw new ConfigurationProblem(`--cert-dir ${directory}: cannot be read (${errorCode(error)})`, {
      cause: error,
    })
  }
}
