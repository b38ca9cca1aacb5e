import { createHash } from 'node:crypto'
import type { ClusterAccess } from '../kubeconfig.ts'
import { isLoopback } from '../loopback.ts'
import type { ClusterIdentity } from './cluster-identity.ts'

export interface ClusterKeyFacts {
  readonly identity: ClusterIdentity
  /** How the cluster is reached. */
  readonly access: Pick<ClusterAccess, 'server' | 'ca' | 'isUnverified' | 'serverName' | 'proxyUrl'>
}

export type ClusterKey =
  /** No other cluster has it. */
  { readonly kind: 'known'; readonly key: string } | { readonly kind: 'unknown'; readonly because: string }

/**
 * By what files of this user tell a cluster from others. The uid of kube-system is the same at every address. Where the server
 * does not show it, the address counts together with the authority that its certificate is verified by. An address alone does
 * not: behind localhost:6443 there is one cluster today, and another one tomorrow.
 */
export function decideClusterKey({ identity, access }: ClusterKeyFacts): ClusterKey {
  if (identity.kind === 'read') return { kind: 'known', key: identity.uid }
  const { server, ca, serverName = '', proxyUrl = '' } = access
  const unknown = (why: string): ClusterKey => ({
    kind: 'unknown',
    because: `nothing tells this cluster from another one at ${server}: it does not show the uid of kube-system (${identity.because}), and ${why}`,
  })
  const { protocol, hostname } = new URL(server)
  if (protocol !== 'https:' || access.isUnverified) return unknown('its certificate is not verified')
  const hasOwnAuthority = ca !== undefined && ca.length > 0
  if (!hasOwnAuthority && isLoopback(hostname)) return unknown('its authority is that of this machine')
  const authority = createHash('sha256').update(ca ?? '')
  authority.update(`\0${serverName}\0${proxyUrl}`)
  return { kind: 'known', key: `${server} ${authority.digest('hex').slice(0, 16)}` }
}
