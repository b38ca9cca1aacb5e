import { type Client, createClient, createFailoverTransport } from '@strata/client'
import type { Transport } from '@strata/world'
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
  const names: readonly (string | undefined)[] = flags.context.length === 0 ? [undefined] : flags.context
  const transports: NodeTransport[] = []
  for (const name of names) transports.push(createNodeTransport(await loadAccess(paths, name)))
  const [first, ...rest] = transports as [Transport, ...Transport[]]
  return {
    client: createClient({ transport: createFailoverTransport([first, ...rest]), userAgent }),
    close: () => {
      for (const transport of transports) transport.close()
    },
  }
}
