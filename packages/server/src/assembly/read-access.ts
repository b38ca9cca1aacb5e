import type { World } from '@strata/world'
import { readAuthorities } from '../configuration/index.ts'
import {
  ClientIdentityFiles,
  type FleetCredentials,
  loadKubeconfigCredential,
  loadServiceAccountTokens,
  TokenFile,
} from '../credentials/index.ts'
import type { ClientTrust } from '../delegation/index.ts'
import { warnAboutKeys } from './check-flags.ts'
import { openFrontProxy, readRequestHeader } from './front-proxy.ts'
import { createLoopback } from './loopback.ts'
import type { ServeOptions } from './serve-options.ts'

/** The files by which a server knows its users, and by which others know it. */
export async function readAccess(options: ServeOptions, credentials: FleetCredentials, world: World) {
  const clientCa = await readAuthorities('--client-ca-file', options.clientCaFile ?? credentials.caFile)
  const frontProxy = await openFrontProxy(options, clientCa, world)
  const proxyIdentity = await ClientIdentityFiles.open(
    [
      ['--proxy-client-cert-file', frontProxy.certFile],
      ['--proxy-client-key-file', frontProxy.keyFile],
    ],
    world,
  )
  const tokens = await TokenFile.open(options.tokenAuthFile ?? credentials.tokenFile, world)
  const { lookup } = tokens
  const admin =
    options.kubeconfigOut === undefined
      ? undefined
      : await loadKubeconfigCredential(credentials, { ...options, clientCa, lookup })
  const serviceAccountTokens = await loadServiceAccountTokens(options, options.certDir, world)
  warnAboutKeys(options, world)
  const trust: ClientTrust = { clientCa, requestHeader: frontProxy.requestHeader }
  return {
    trust,
    proxyIdentity,
    tokens,
    admin,
    loopback: createLoopback(world, lookup),
    serviceAccountTokens,
  }
}

/** The aggregator knows the users of an aggregated server. The flags may say whose certificates count. */
export async function readDelegated(
  options: ServeOptions,
  world: World,
): Promise<Partial<Access> & Pick<Access, 'trust' | 'loopback'>> {
  const { clientCaFile } = options
  const clientCa =
    clientCaFile === undefined ? undefined : await readAuthorities('--client-ca-file', clientCaFile)
  const requestHeader = await readRequestHeader(options, clientCa)
  return { trust: { clientCa, requestHeader }, loopback: createLoopback(world, () => undefined) }
}

type Access = Awaited<ReturnType<typeof readAccess>>
