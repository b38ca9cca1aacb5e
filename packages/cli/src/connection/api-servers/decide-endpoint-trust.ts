import { isIP } from 'node:net'
import type { ClusterAccess } from '../kubeconfig.ts'

/** How an endpoint is verified, or why no endpoint may be asked. */
export type EndpointTrust =
  | { readonly kind: 'trusted'; readonly serverName: string }
  | { readonly kind: 'not asked'; readonly because: string }

/** Upstream's API servers have it in their certificates, and no other program of a cluster does. */
const inside = 'kubernetes.default.svc'

/**
 * The credentials of the user go to an endpoint only if the kubeconfig's own authority has signed its certificate, and for the
 * name by which the kubeconfig knows the cluster. An address of an EndpointSlice is no such name: a user who may write slices
 * could name any node there, and nodes often have certificates of the same authority for their own addresses.
 */
export function decideEndpointTrust(
  access: Pick<ClusterAccess, 'server' | 'ca' | 'isUnverified' | 'serverName' | 'exec'>,
  { canAsk = false }: { readonly canAsk?: boolean | undefined } = {},
): EndpointTrust {
  const not = (because: string): EndpointTrust => ({ kind: 'not asked', because })
  const { protocol, hostname } = new URL(access.server)
  if (protocol !== 'https:') return not('the kubeconfig reaches the cluster without TLS')
  if (access.isUnverified === true) return not('the kubeconfig does not verify certificates')
  if (access.ca === undefined || access.ca.length === 0)
    return not('the kubeconfig names no certificate authority')
  if (access.exec && access.exec.interactiveMode !== 'Never' && canAsk)
    return not('the credential plugin would ask the user once for each of them')
  if (access.serverName !== undefined) return { kind: 'trusted', serverName: access.serverName }
  const host = hostname.replace(/^\[|\]$/g, '')
  const isOfOneMachine = isIP(host) !== 0 || host === 'localhost'
  return { kind: 'trusted', serverName: isOfOneMachine ? inside : host }
}
