import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { CliError } from '../output/errors.ts'
import { type ExecPlugin, parsePlugin } from './exec-credential.ts'
import { statedFleet } from './fleet/stated-fleet.ts'
import { type Kubeconfig, type KubeconfigEntry, mergeKubeconfigs } from './merge-kubeconfigs.ts'
import { isServerUrl } from './server-url.ts'

export interface ClusterAccess {
  readonly server: string
  readonly ca?: string | Buffer | undefined
  /** `insecure-skip-tls-verify`: the certificate of the server is not checked. */
  readonly isUnverified?: true | undefined
  /** `tls-server-name`: the name in the certificate, if it is not the host of the address. */
  readonly serverName?: string | undefined
  readonly cert?: string | Buffer | undefined
  readonly key?: string | Buffer | undefined
  readonly token?: string | undefined
  /** A file that holds the token, and is read again: another program renews it. It comes before `token`. */
  readonly tokenFile?: string | undefined
  readonly password?: { readonly username: string; readonly password: string } | undefined
  /** `as`, `as-groups`, `as-uid` and `as-user-extra`. */
  readonly impersonate?: Impersonation | undefined
  /** `proxy-url`; without it, variables of the environment may name a proxy. */
  readonly proxyUrl?: string | undefined
  /** The plugin that provides and renews the credentials. */
  readonly exec?: ExecPlugin | undefined
  /** The fleet that the kubeconfig says the server belongs to. */
  readonly fleet?: string | undefined
}

export interface Impersonation {
  readonly user: string
  readonly groups: readonly string[]
  readonly uid: string | undefined
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** The files that may be the kubeconfig. */
export interface KubeconfigSource {
  readonly paths: readonly string[]
  /** Merges all files that exist; otherwise the first that exists counts. */
  readonly isMerged: boolean
  /** The flag or variable that names the files; absent if they are the usual ones. */
  readonly namedBy?: string
}

/**
 * In kubectl's order. The file of the local fleet comes before the one in the home directory. They are not merged, because
 * they are about different clusters.
 */
export function kubeconfigSource(
  flag: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): KubeconfigSource {
  if (flag !== undefined) return { paths: [flag], isMerged: false, namedBy: '--kubeconfig' }
  const named = (environment['KUBECONFIG'] ?? '').split(':').filter((path) => path !== '')
  if (named.length > 0) return { paths: [...new Set(named)], isMerged: true, namedBy: 'KUBECONFIG' }
  const paths = [join('.strata', 'local', 'admin.kubeconfig'), join(homedir(), '.kube', 'config')]
  return { paths, isMerged: false }
}

/** How to reach the cluster of a context. Errors name the missing field and its place. */
export async function loadAccess(source: KubeconfigSource, contextName?: string): Promise<ClusterAccess> {
  return accessOf(await loadKubeconfig(source), contextName)
}

/** All contexts: the current one, then the others as they are in the files. */
export async function loadContextNames(source: KubeconfigSource): Promise<string[]> {
  const { currentContext, contexts } = await loadKubeconfig(source)
  return [...new Set([...(contexts.has(currentContext) ? [currentContext] : []), ...contexts.keys()])]
}

export async function loadKubeconfig({ paths, isMerged, namedBy }: KubeconfigSource): Promise<Kubeconfig> {
  const files: { readonly path: string; readonly config: Readonly<Record<string, unknown>> }[] = []
  for (const path of paths) {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if ((error as { code?: string }).code === 'ENOENT') return undefined
      throw new CliError(`kubeconfig ${path} cannot be read (${(error as { code?: string }).code})`)
    })
    if (text === undefined) continue
    files.push({ path, config: parseConfig(text, path) })
    if (!isMerged) break
  }
  if (files.length > 0) return mergeKubeconfigs(files)
  if (namedBy !== undefined) throw new CliError(`${namedBy} ${paths.join(', ')}: there is no such file`)
  throw new CliError(
    `no kubeconfig found (looked at ${paths.join(', ')}): give --kubeconfig, or start a local fleet with "strata up" (in a clone "npm start")`,
  )
}

/** An empty file is a kubeconfig without entries, as for kubectl. */
function parseConfig(text: string, path: string): Readonly<Record<string, unknown>> {
  let config: unknown
  try {
    config = parse(text, { logLevel: 'error' })
  } catch (error) {
    // The first line has the error and ends in a colon; the rest shows the place as a drawing.
    const [what = ''] = String((error as Error).message).split('\n')
    throw new CliError(`${path}: not YAML: ${what.replace(/:$/, '')}`)
  }
  if (config === null || config === undefined) return {}
  if (typeof config === 'object' && !Array.isArray(config)) return config as Readonly<Record<string, unknown>>
  throw new CliError(`${path}: not a kubeconfig: it has no contexts`)
}

async function accessOf(config: Kubeconfig, contextName: string | undefined): Promise<ClusterAccess> {
  const files = config.paths.join(', ')
  if (config.contexts.size === 0) {
    const what =
      config.paths.length === 1 ? 'not a kubeconfig: it has no contexts' : 'none of these files has a context'
    throw new CliError(`${files}: ${what}`)
  }
  const name = contextName ?? config.currentContext
  const context = config.contexts.get(name)?.fields
  if (!context) {
    const known = [...config.contexts.keys()].join(', ')
    throw new CliError(
      name === ''
        ? `${files}: no current context; choose one with --context: ${known}`
        : `${files}: no context ${JSON.stringify(name)}; it has: ${known}`,
    )
  }
  const cluster = config.clusters.get(String(context['cluster']))
  const user = config.users.get(String(context['user'])) ?? { path: files, fields: {} }
  const server = cluster?.fields['server']
  const whereServer = `${cluster?.path ?? files}: clusters[${String(context['cluster'])}].cluster.server`
  if (!cluster || typeof server !== 'string') throw new CliError(`${whereServer} is missing`)
  if (!isServerUrl(server)) {
    throw new CliError(`${whereServer}: ${JSON.stringify(server)} is not an address; write https://host:port`)
  }
  const where = `${user.path}: users[${String(context['user'])}]`
  if (user.fields['auth-provider'] !== undefined) {
    throw new CliError(
      `${where} uses auth-provider, which is not supported (kubectl removed it too); use exec, a token or a client certificate`,
    )
  }
  const trust = await trustOf(cluster, `clusters[${String(context['cluster'])}].cluster`)
  const exec =
    user.fields['exec'] === undefined
      ? undefined
      : parsePlugin(user.fields['exec'], where, { ...cluster.fields, ...authorityData(trust.ca) })
  const cert = await materialOf(user, 'client-certificate')
  const key = await materialOf(user, 'client-key')
  const text = (field: string): string | undefined => textOf(user.fields[field])
  const [token, tokenFile] = [text('token'), text('tokenFile')]
  // With a token beside it, a file that is not there yet is no mistake.
  if (token === undefined && tokenFile !== undefined) await contentOf(user, 'tokenFile')
  const username = text('username')
  return {
    ...{ server, ...trust, cert, key, token, tokenFile, exec },
    password: username === undefined ? undefined : { username, password: text('password') ?? '' },
    impersonate: impersonationOf(user, where),
    proxyUrl: textOf(cluster.fields['proxy-url']),
    fleet: statedFleet(cluster.fields),
  }
}

/** A plugin is told the certificates themselves, also where the kubeconfig names a file. */
const authorityData = (ca: ClusterAccess['ca']): Readonly<Record<string, string>> =>
  ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** The user that the requests act as. */
function impersonationOf({ fields }: KubeconfigEntry, where: string): Impersonation | undefined {
  const groups = fields['as-groups']
  const extra = fields['as-user-extra']
  const impersonation = {
    user: textOf(fields['as']) ?? '',
    groups: Array.isArray(groups) ? groups.map(String) : [],
    uid: textOf(fields['as-uid']),
    extra: Object.fromEntries(
      Object.entries((extra ?? {}) as Readonly<Record<string, unknown>>).map(([key, values]) => [
        key,
        Array.isArray(values) ? values.map(String) : [],
      ]),
    ),
  }
  const { user, uid } = impersonation
  const isAsked = impersonation.groups.length + Object.keys(impersonation.extra).length > 0
  if (user === '' && (isAsked || uid !== undefined))
    throw new CliError(`${where}: as-groups, as-uid and as-user-extra need "as", the name of a user`)
  return user === '' ? undefined : impersonation
}

/** How the server is verified. An authority together with insecure-skip-tls-verify is refused with kubectl's text. */
async function trustOf(
  cluster: KubeconfigEntry,
  where: string,
): Promise<Pick<ClusterAccess, 'ca' | 'isUnverified' | 'serverName'>> {
  const ca = await materialOf(cluster, 'certificate-authority')
  const { 'insecure-skip-tls-verify': isUnverified = false, 'tls-server-name': serverName } = cluster.fields
  if (typeof isUnverified !== 'boolean') {
    const given = JSON.stringify(isUnverified)
    throw new CliError(
      `${cluster.path}: ${where}.insecure-skip-tls-verify: ${given} is not a boolean; write true or false`,
    )
  }
  if (isUnverified && ca && ca.length > 0) {
    throw new CliError(
      `${cluster.path}: ${where}: specifying a root certificates file with the insecure flag is not allowed; remove insecure-skip-tls-verify, or the certificate-authority`,
    )
  }
  return {
    ca: isUnverified ? undefined : ca,
    isUnverified: isUnverified || undefined,
    serverName: typeof serverName === 'string' && serverName !== '' ? serverName : undefined,
  }
}

async function materialOf(holder: KubeconfigEntry, field: string): Promise<Buffer | undefined> {
  const data = holder.fields[`${field}-data`]
  return typeof data === 'string' ? Buffer.from(data, 'base64') : contentOf(holder, field)
}

async function contentOf({ path, fields }: KubeconfigEntry, field: string): Promise<Buffer | undefined> {
  const file = fields[field]
  if (typeof file !== 'string') return undefined
  return readFile(file).catch((error: unknown) => {
    throw new CliError(`${path}: ${field} ${file} cannot be read (${(error as { code?: string }).code})`)
  })
}
