import type { ConfigMap } from '@strata/api'
import type { RequestHeaderOptions } from '../authentication/index.ts'
import { canNameUsers, parseCertificates } from '../configuration/index.ts'

/** Which client certificates a server accepts, and for what. CAs are in PEM. */
export interface ClientTrust {
  /** Signs certificates of users. */
  readonly clientCa?: string | undefined
  /** Signs certificates of front proxies. Undefined: no header is believed. */
  readonly requestHeader?: ProxyTrust | undefined
}

export interface ProxyTrust extends RequestHeaderOptions {
  readonly ca: string
}

/** Where an aggregator says how its aggregated servers recognize it, and its users. */
export const trustConfigMap = {
  namespace: 'kube-system',
  name: 'extension-apiserver-authentication',
} as const

export const trustKeys = {
  clientCa: 'client-ca-file',
  requestHeaderCa: 'requestheader-client-ca-file',
  allowedNames: 'requestheader-allowed-names',
  usernameHeaders: 'requestheader-username-headers',
  uidHeaders: 'requestheader-uid-headers',
  groupHeaders: 'requestheader-group-headers',
  extraHeaderPrefixes: 'requestheader-extra-headers-prefix',
} as const

/** The flags win over the ConfigMap: the client CA and, as a whole, the settings of front proxies. */
export function decideTrust(
  flags: ClientTrust,
  configMap: Pick<ConfigMap, 'data'>,
): ClientTrust | { readonly problem: string } {
  const read = readTrust(configMap)
  if ('problem' in read) return read
  const clientCa = flags.clientCa ?? read.clientCa
  const requestHeader = flags.requestHeader ?? read.requestHeader
  const problem = trustProblem({ clientCa, requestHeader })
  return problem === undefined ? { clientCa, requestHeader } : { problem }
}

/** What the ConfigMap says. A missing key is an empty list, or no CA. */
export function readTrust({
  data = {},
}: Pick<ConfigMap, 'data'>): ClientTrust | { readonly problem: string } {
  const clientCa = data[trustKeys.clientCa] || undefined
  const ca = data[trustKeys.requestHeaderCa] || undefined
  const names = readLists(data)
  if ('problem' in names) return names
  for (const [key, text] of [
    [trustKeys.clientCa, clientCa],
    [trustKeys.requestHeaderCa, ca],
  ] as const) {
    const found = parseCertificates(text ?? '')
    if ('problem' in found) return { problem: `${key}: ${found.problem}` }
    if (text !== undefined && found.length === 0) return { problem: `${key}: no certificate in it` }
  }
  return { clientCa, requestHeader: ca === undefined ? undefined : { ca, ...names } }
}

type Names = RequestHeaderOptions

function readLists(data: Readonly<Record<string, string>>): Names | { readonly problem: string } {
  const problems: string[] = []
  const list = (key: string): readonly string[] => {
    const text = data[key] ?? ''
    if (text === '') return []
    const value = parsed(text)
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value
    // Go writes a list that was never set as null.
    if (value !== null) problems.push(`${key}: not a list of texts in JSON`)
    return []
  }
  const names: Names = {
    allowedNames: list(trustKeys.allowedNames),
    usernameHeaders: list(trustKeys.usernameHeaders),
    uidHeaders: list(trustKeys.uidHeaders),
    groupHeaders: list(trustKeys.groupHeaders),
    extraHeaderPrefixes: list(trustKeys.extraHeaderPrefixes),
  }
  const [problem] = problems
  return problem === undefined ? names : { problem }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Why a server must not use these settings. */
export function trustProblem({ clientCa = '', requestHeader }: ClientTrust): string | undefined {
  if (!requestHeader || requestHeader.allowedNames.length > 0) return undefined
  const clients = parseCertificates(clientCa)
  const proxies = parseCertificates(requestHeader.ca)
  if ('problem' in clients || 'problem' in proxies || !canNameUsers(clients, proxies)) return undefined
  return '--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users'
}
