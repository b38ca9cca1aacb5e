import { createFailoverTransport } from '@strata/client'
import type { Transport } from '@strata/world'
import type { NodeTransport } from '@strata/world/node'
import type { CliContext } from '../context.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { connectAccess } from './exec-credential.ts'
import { type ClusterAccess, kubeconfigSource, loadAccess, loadFleetContexts } from './kubeconfig.ts'

export interface AggregatorConnection {
  /** If one server of the aggregator does not answer, the next is tried. */
  readonly transport: Transport
  /** The address of the first server. */
  readonly url: string
  close(): void
}

/** Connects an aggregated server to the aggregator of the kubeconfig. In a pod, `pod` is the cluster of the pod. */
export async function connectAggregator(
  kubeconfig: string | undefined,
  pod: ClusterAccess | undefined,
  { environment, world }: Pick<CliContext, 'environment' | 'world'>,
): Promise<AggregatorConnection> {
  const [first, ...others] = await accessesOf(kubeconfig, pod)
  const connect = (access: ClusterAccess): NodeTransport =>
    connectAccess(access, { clock: world.clock, environment })
  const transports = [connect(first), ...others.map(connect)] as const
  return {
    transport: createFailoverTransport(transports),
    url: first.server,
    close: () => {
      for (const each of transports) each.close()
    },
  }
}

async function accessesOf(
  kubeconfig: string | undefined,
  pod: ClusterAccess | undefined,
): Promise<readonly [ClusterAccess, ...ClusterAccess[]]> {
  if (kubeconfig === undefined && pod) return [pod]
  const source = kubeconfigSource(kubeconfig, {})
  try {
    const [first, ...others] = await loadFleetContexts(source)
    const found: ClusterAccess[] = []
    for (const name of others) found.push(await loadAccess(source, name))
    // Without a current context, its error says so.
    return [await loadAccess(source, first), ...found]
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    // It would fail again on restart.
    throw new CliError(error.message, exitCodes.usage, { cause: error })
  }
}
