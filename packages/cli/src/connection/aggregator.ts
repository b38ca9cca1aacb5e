import { createFailoverTransport } from '@strata/client'
import type { Transport } from '@strata/world'
import type { CliContext } from '../context.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { connectAccess } from './exec-credential.ts'
import { type ClusterAccess, kubeconfigSource, loadAccess, loadFleetContexts } from './kubeconfig.ts'

export interface AggregatorConnection {
  /** If one server of the aggregator does not answer, the next is tried. */
  readonly transport: Transport
  close(): void
}

/** Connects an aggregated server to the aggregator of the kubeconfig. In a pod, `pod` is the cluster of the pod. */
export async function connectAggregator(
  kubeconfig: string | undefined,
  pod: ClusterAccess | undefined,
  { environment, world }: Pick<CliContext, 'environment' | 'world'>,
): Promise<AggregatorConnection> {
  const [first, ...others] = (await accessesOf(kubeconfig, pod)).map((access) =>
    connectAccess(access, { clock: world.clock, environment }),
  )
  if (!first) throw new CliError('--kubeconfig: no context', exitCodes.usage)
  return {
    transport: createFailoverTransport([first, ...others]),
    close: () => {
      for (const each of [first, ...others]) each.close()
    },
  }
}

async function accessesOf(
  kubeconfig: string | undefined,
  pod: ClusterAccess | undefined,
): Promise<readonly ClusterAccess[]> {
  if (kubeconfig === undefined && pod) return [pod]
  const source = kubeconfigSource(kubeconfig, {})
  try {
    const names = await loadFleetContexts(source)
    const found: ClusterAccess[] = []
    // Without a current context, the error says so.
    for (const name of names.length === 0 ? [undefined] : names) found.push(await loadAccess(source, name))
    return found
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    // It would fail again on restart.
    throw new CliError(error.message, exitCodes.usage, { cause: error })
  }
}
