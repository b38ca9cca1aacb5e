import { type KubeconfigSource, loadKubeconfig } from '../kubeconfig.ts'

/**
 * The current context, then those that differ from it only in the server. With the same certificate authority and user, they
 * may be the servers of one fleet; whether they are is asked of the servers (`decideFailover`). Without an authority there is no
 * such sign, so only the current context counts. An authority in a file is the same only if it is the same file. Users who sign
 * in by a plugin are no sign: a company has one authority and one login for many clusters.
 */
export async function loadFleetContexts(source: KubeconfigSource, first?: string): Promise<string[]> {
  const { currentContext, contexts, clusters, users } = await loadKubeconfig(source)
  const current = first ?? currentContext
  const traits = (name: string): string | undefined => {
    const context = contexts.get(name)?.fields
    const cluster = clusters.get(String(context?.['cluster']))?.fields
    const server = String(cluster?.['server'])
    // A proxy for many clusters, such as Rancher's, has one authority and one user, and a path for each cluster.
    const path = URL.canParse(server) ? new URL(server).pathname : ''
    const authority = cluster?.['certificate-authority-data'] ?? cluster?.['certificate-authority']
    const user = users.get(String(context?.['user']))?.fields
    const signsIn = user?.['exec'] !== undefined || user?.['auth-provider'] !== undefined
    if (authority === undefined || signsIn) return undefined
    return JSON.stringify([authority, path, context?.['user'], context?.['namespace']])
  }
  if (current === '') return []
  const wanted = traits(current)
  const others = [...contexts.keys()].filter(
    (name) => name !== current && wanted !== undefined && traits(name) === wanted,
  )
  return [current, ...others]
}
