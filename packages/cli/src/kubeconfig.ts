import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parse } from 'yaml'
import { CliError } from './errors.ts'
import { type ExecPlugin, parsePlugin } from './exec-credential.ts'

export interface ClusterAccess {
  readonly server: string
  readonly ca?: string | Buffer
  readonly cert?: string | Buffer
  readonly key?: string | Buffer
  readonly token?: string
  /** A program that gives what is not there, and gives it anew. */
  readonly exec?: ExecPlugin
}

interface Named {
  readonly name?: string
  readonly cluster?: Readonly<Record<string, unknown>>
  readonly user?: Readonly<Record<string, unknown>>
  readonly context?: Readonly<Record<string, unknown>>
}

/** Where a kubeconfig is looked for, in kubectl's order; the local fleet's comes before the home directory's. */
export function kubeconfigPaths(
  flag: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  if (flag !== undefined) return [flag]
  if (environment['KUBECONFIG']) return environment['KUBECONFIG'].split(':').filter((path) => path !== '')
  return [join('.strata', 'local', 'admin.kubeconfig'), join(homedir(), '.kube', 'config')]
}

/** How to reach the cluster of a context. Names what is missing, and where. */
export async function loadAccess(paths: readonly string[], contextName?: string): Promise<ClusterAccess> {
  const { path, text } = await loadFirst(paths)
  return accessOf(text, path, contextName)
}

/**
 * The current context, and after it those that differ from it in nothing but the server: same authority, same user. They
 * are the servers of one fleet. Where no authority is named nothing says that they are, and there are no others.
 */
export async function loadFleetContexts(paths: readonly string[]): Promise<string[]> {
  const { path, text } = await loadFirst(paths)
  const config = parseConfig(text, path)
  const list = (field: string): Named[] => (Array.isArray(config[field]) ? (config[field] as Named[]) : [])
  const current = String(config['current-context'] ?? '')
  const traits = ({ context }: Named): string | undefined => {
    const cluster = list('clusters').find(({ name }) => name === context?.['cluster'])?.cluster
    const authority = cluster?.['certificate-authority-data'] ?? cluster?.['certificate-authority']
    if (authority === undefined) return undefined
    return JSON.stringify([authority, context?.['user'], context?.['namespace']])
  }
  const first = list('contexts').find(({ name }) => name === current)
  const wanted = first && traits(first)
  const others = list('contexts').filter(
    (each) => each !== first && wanted !== undefined && traits(each) === wanted,
  )
  return [current, ...others.map(({ name }) => String(name))].filter((name) => name !== '')
}

async function loadFirst(
  paths: readonly string[],
): Promise<{ readonly path: string; readonly text: string }> {
  for (const path of paths) {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if ((error as { code?: string }).code === 'ENOENT') return undefined
      throw new CliError(`--kubeconfig ${path}: cannot be read (${(error as { code?: string }).code})`)
    })
    if (text !== undefined) return { path, text }
  }
  throw new CliError(
    `no kubeconfig found (looked at ${paths.join(', ')}): start a local fleet with "npm start", or give --kubeconfig`,
  )
}

function parseConfig(text: string, path: string): Readonly<Record<string, unknown>> {
  let config: unknown
  try {
    config = parse(text)
  } catch (error) {
    // The first line says what; the rest draws it.
    throw new CliError(`${path}: not YAML: ${String((error as Error).message).split('\n')[0]}`)
  }
  if (typeof config === 'object' && config !== null) return config as Readonly<Record<string, unknown>>
  throw new CliError(`${path}: not a kubeconfig: it has no contexts`)
}

async function accessOf(text: string, path: string, contextName: string | undefined): Promise<ClusterAccess> {
  const config = parseConfig(text, path)
  const list = (field: string): Named[] => (Array.isArray(config[field]) ? (config[field] as Named[]) : [])
  if (list('contexts').length === 0) throw new CliError(`${path}: not a kubeconfig: it has no contexts`)
  const name = contextName ?? String(config['current-context'] ?? '')
  const context = list('contexts').find((each) => each.name === name)?.context
  if (!context) {
    const known = list('contexts')
      .map((each) => each.name)
      .join(', ')
    throw new CliError(
      name === ''
        ? `${path}: has no current context; choose one with --context: ${known}`
        : `${path}: no context ${JSON.stringify(name)}; choose one with --context: ${known}`,
    )
  }
  const cluster = list('clusters').find((each) => each.name === context['cluster'])?.cluster
  const user = list('users').find((each) => each.name === context['user'])?.user ?? {}
  if (typeof cluster?.['server'] !== 'string') {
    throw new CliError(`${path}: clusters[${String(context['cluster'])}].cluster.server is missing`)
  }
  const where = `${path}: users[${String(context['user'])}]`
  if (user['auth-provider'] !== undefined) {
    throw new CliError(
      `${where} uses auth-provider, which kubectl has given up as well; use exec, a token or a client certificate`,
    )
  }
  const exec = user['exec'] === undefined ? undefined : parsePlugin(user['exec'], where)
  const material = async (holder: Readonly<Record<string, unknown>>, field: string) => {
    const data = holder[`${field}-data`]
    if (typeof data === 'string') return Buffer.from(data, 'base64')
    const file = holder[field]
    if (typeof file !== 'string') return undefined
    return readFile(resolve(dirname(path), file)).catch((error: unknown) => {
      throw new CliError(`${path}: ${field} ${file} cannot be read (${(error as { code?: string }).code})`)
    })
  }
  const ca = await material(cluster, 'certificate-authority')
  const cert = await material(user, 'client-certificate')
  const key = await material(user, 'client-key')
  const token = typeof user['token'] === 'string' ? user['token'] : await tokenIn(user['tokenFile'])
  return {
    server: cluster['server'],
    ...(ca ? { ca } : {}),
    ...(cert ? { cert } : {}),
    ...(key ? { key } : {}),
    ...(token === undefined ? {} : { token }),
    ...(exec === undefined ? {} : { exec }),
  }

  async function tokenIn(file: unknown): Promise<string | undefined> {
    if (typeof file !== 'string') return undefined
    const text = await readFile(resolve(dirname(path), file), 'utf8').catch((error: unknown) => {
      throw new CliError(`${path}: tokenFile ${file} cannot be read (${(error as { code?: string }).code})`)
    })
    return text.trim()
  }
}
