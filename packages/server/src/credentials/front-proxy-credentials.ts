import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { uuid, type World } from '@strata/world'
import { ConfigurationProblem, errorCode } from '../configuration/index.ts'
import { createProxyCertificates } from './certificates.ts'

/** The common name by which servers are known to the servers of APIServices, as kubeadm calls it. */
export const frontProxyName = 'front-proxy-client'

/** The files of a front proxy: the CA that signs it, its certificate and its key. */
export interface FrontProxyFiles {
  readonly caFile: string
  readonly certFile: string
  readonly keyFile: string
}

/**
 * The credentials by which this fleet's servers pass requests on, created on the first start that finds none: also beside the
 * files of an earlier release. All files are renamed into place at once, as a directory: of servers that start together, the
 * first one's files are used by all. Undefined if the directory cannot be written: the server works without them.
 */
export async function ensureFrontProxy(certDir: string, world: World): Promise<FrontProxyFiles | undefined> {
  const directory = join(certDir, 'front-proxy')
  const files: FrontProxyFiles = {
    caFile: join(directory, 'ca.crt'),
    certFile: join(directory, 'client.crt'),
    keyFile: join(directory, 'client.key'),
  }
  if (await areThere(directory, files)) return files
  const aside = `${directory}.${uuid(world.random)}.new`
  try {
    await writeAll(aside, world)
    await rename(aside, directory)
  } catch (error) {
    await rm(aside, { recursive: true, force: true })
    const code = errorCode(error)
    // Another server was faster, unless its files are missing too.
    const isOvertaken = code === 'EEXIST' || code === 'ENOTEMPTY'
    if (!isOvertaken) {
      world.log.warn(
        'cannot create credentials of a front proxy in --cert-dir; servers of APIServices will not know who asks',
        { directory, error: code },
      )
      return undefined
    }
  }
  if (await areThere(directory, files)) return files
  throw new ConfigurationProblem(
    `--cert-dir: files are missing in ${directory}; remove that directory, and the server creates it again`,
  )
}

async function writeAll(directory: string, { clock }: World): Promise<void> {
  await mkdir(directory, { mode: 0o700 })
  const { authority, client } = await createProxyCertificates(frontProxyName, clock.wallMs())
  const texts: Readonly<Record<string, string>> = {
    'ca.crt': authority.cert,
    'ca.key': authority.key,
    'client.crt': client.cert,
    'client.key': client.key,
  }
  for (const [name, text] of Object.entries(texts)) {
    await writeFile(join(directory, name), text, { mode: 0o600 })
  }
}

/** False if the directory does not exist, or lacks a file. */
async function areThere(directory: string, files: FrontProxyFiles): Promise<boolean> {
  try {
    await Promise.all(Object.values(files).map((path) => access(path)))
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw new ConfigurationProblem(`--cert-dir: ${directory} cannot be read (${errorCode(error)})`)
  }
}
