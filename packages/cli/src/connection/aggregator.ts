import type { Transport } from '@strata/world'
import type { NodeTransport } from '@strata/world/node'
import type { CliContext } from '../context.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { connectAccess } from './exec-credential.ts'
import { loadFleetContexts } from './fleet/fleet-contexts.ts'
import { createFleetTransport, type FleetMember } from './fleet/fleet-transport.ts'
import { type ClusterAccess, kubeconfigSource, loadAccess } from './kubeconfig.ts'

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
  const [first, ...others] = await membersOf(kubeconfig, pod, { environment, world })
  const { clock, log } = world
  const warn = (text: string): void => log.warn(text)
  return {
    transport: createFleetTransport([first, ...others], { clock, warn }),
    url: first.url,
    close: () => {
      for (const { transport } of [first, ...others]) transport.close()
    },
  }
}

interface Member extends FleetMember {
  readonly transport: NodeTransport
  readonly url: string
}

async function membersOf(
  kubeconfig: string | undefined,
  pod: ClusterAccess | undefined,
  { environment, world: { clock } }: Pick<CliContext, 'environment' | 'world'>,
): Promise<readonly [Member, ...Member[]]> {
  const member = (context: string, access: ClusterAccess): Member => ({
    ...{ context, url: access.server, fleet: access.fleet, isNamed: false },
    transport: connectAccess(access, { clock, environment }),
  })
  if (kubeconfig === undefined && pod) return [member('the pod', pod)]
  const source = kubeconfigSource(kubeconfig, {})
  try {
    const [first, ...others] = await loadFleetContexts(source)
    // Without a current context, its error says so.
    const found: [Member, ...Member[]] = [member(first ?? '', await loadAccess(source, first))]
    for (const name of others) found.push(member(name, await loadAccess(source, name)))
    return found
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    // It would fail again on restart.
    throw new CliError(error.message, exitCodes.usage, { cause: error })
  }
}
