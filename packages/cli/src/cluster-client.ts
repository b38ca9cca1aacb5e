import { type Client, createClient, createFailoverTransport } from '@strata/client'
import { createNodeTransport, type NodeTransport } from '@strata/world/node'
import type { CliContext } from './context.ts'
import { kubeconfigPaths, loadAccess } from './kubeconfig.ts'

export interface ClusterFlags {
  readonly kubeconfig?: string
  /** Several contexts are several servers of one fleet: when one does not answer, the next is asked. */
  readonly context: readonly string[]
}

export interface ClusterConnection {
  readonly client: Client
  close(): void
}

/** Reaches the cluster that the flags name. */
export async function connectCluster(
  flags: ClusterFlags,
  { environment }: CliContext,
  userAgent: string,
): Promise<ClusterConnection> {
  const paths = kubeconfigPaths(flags.kubeconfig, environment)
  const [firstName, ...otherNames] = flags.context
  const first = createNodeTransport(await loadAccess(paths, firstName))
  const others: NodeTransport[] = []
  for (const name of otherNames) others.push(createNodeTransport(await loadAccess(paths, name)))
  return {
    client: createClient({ transport: createFailoverTransport([first, ...others]), userAgent }),
    close: () => {
      for (const transport of [first, ...others]) transport.close()
    },
  }
}
