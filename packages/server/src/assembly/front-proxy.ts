import type { World } from '@strata/world'
import { remoteHeaders } from '../authentication/index.ts'
import { ConfigurationProblem, readAuthorities } from '../configuration/index.ts'
import { ensureFrontProxy, frontProxyName } from '../credentials/index.ts'
import { type ProxyTrust, trustProblem } from '../delegation/index.ts'

/** The flags about front proxies: which ones are believed, and how this server shows that it is one. */
export interface FrontProxyFlags {
  /** The certificate and key that this server shows to the servers of APIServices. */
  readonly proxyClientCertFile?: string | undefined
  readonly proxyClientKeyFile?: string | undefined
  /** Signs the certificates of front proxies, which name users in headers. */
  readonly requestheaderClientCaFile?: string | undefined
  readonly requestheaderAllowedNames?: readonly string[] | undefined
  readonly requestheaderUsernameHeaders?: readonly string[] | undefined
  readonly requestheaderUidHeaders?: readonly string[] | undefined
  readonly requestheaderGroupHeaders?: readonly string[] | undefined
  readonly requestheaderExtraHeadersPrefix?: readonly string[] | undefined
}

/** What the flags mean, before files are read. */
export interface FrontProxyPlan {
  /** No flag is given: the fleet's own credentials are used, for both purposes. */
  readonly usesOwn: boolean
  readonly caFile?: string | undefined
  readonly options: Omit<ProxyTrust, 'ca'>
}

/** Throws if a flag is given that has no effect without another one. */
export function decideFrontProxy(flags: FrontProxyFlags): FrontProxyPlan {
  const lists = {
    '--requestheader-allowed-names': flags.requestheaderAllowedNames,
    '--requestheader-username-headers': flags.requestheaderUsernameHeaders,
    '--requestheader-uid-headers': flags.requestheaderUidHeaders,
    '--requestheader-group-headers': flags.requestheaderGroupHeaders,
    '--requestheader-extra-headers-prefix': flags.requestheaderExtraHeadersPrefix,
  }
  const { requestheaderClientCaFile: caFile } = flags
  for (const [flag, values] of Object.entries(lists)) {
    const isGiven = values !== undefined && values.length > 0
    if (isGiven && caFile === undefined) {
      throw new ConfigurationProblem(`${flag}: needs --requestheader-client-ca-file too`)
    }
    if (values?.some((each) => each.trim() === '')) {
      throw new ConfigurationProblem(`${flag}: a name is empty`)
    }
  }
  const or = (given: readonly string[] | undefined, usual: readonly string[]): readonly string[] =>
    given && given.length > 0 ? given.map((each) => each.trim()) : usual
  const usesOwn =
    caFile === undefined && flags.proxyClientCertFile === undefined && flags.proxyClientKeyFile === undefined
  return {
    usesOwn,
    caFile,
    options: {
      allowedNames: or(flags.requestheaderAllowedNames, usesOwn ? [frontProxyName] : []),
      usernameHeaders: or(flags.requestheaderUsernameHeaders, remoteHeaders.usernameHeaders),
      uidHeaders: or(flags.requestheaderUidHeaders, remoteHeaders.uidHeaders),
      groupHeaders: or(flags.requestheaderGroupHeaders, remoteHeaders.groupHeaders),
      extraHeaderPrefixes: or(flags.requestheaderExtraHeadersPrefix, remoteHeaders.extraHeaderPrefixes),
    },
  }
}

/** The front proxies of the flags; undefined without the CA of one. For a server that is none itself. */
export async function readRequestHeader(
  flags: FrontProxyFlags,
  clientCa: string | undefined,
): Promise<ProxyTrust | undefined> {
  const { caFile, options } = decideFrontProxy(flags)
  if (caFile === undefined) return undefined
  const requestHeader = { ca: await readAuthorities('--requestheader-client-ca-file', caFile), ...options }
  const problem = trustProblem({ clientCa, requestHeader })
  if (problem !== undefined) throw new ConfigurationProblem(problem)
  return requestHeader
}

/** Files and settings of front proxies. */
export interface FrontProxy {
  readonly certFile?: string | undefined
  readonly keyFile?: string | undefined
  /** Undefined: no front proxy is believed. */
  readonly requestHeader?: ProxyTrust | undefined
}

/** Reads the CA of front proxies, and creates the fleet's own credentials if no flag is given. */
export async function openFrontProxy(
  flags: FrontProxyFlags & { readonly certDir: string },
  clientCa: string,
  world: World,
): Promise<FrontProxy> {
  const { usesOwn, caFile, options } = decideFrontProxy(flags)
  const own = usesOwn ? await ensureFrontProxy(flags.certDir, world) : undefined
  const { proxyClientCertFile: certFile, proxyClientKeyFile: keyFile } = flags
  const authorityFile = own?.caFile ?? caFile
  const files = own ?? { certFile, keyFile }
  if (authorityFile === undefined) return files
  const flag = own ? '--cert-dir' : '--requestheader-client-ca-file'
  const requestHeader = { ca: await readAuthorities(flag, authorityFile), ...options }
  const problem = trustProblem({ clientCa, requestHeader })
  if (problem !== undefined) throw new ConfigurationProblem(problem)
  return { ...files, requestHeader }
}
