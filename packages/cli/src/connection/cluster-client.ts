import { type Client, createClient, createFailoverTransport } from '@strata/client'
import { DeadlineExceeded, deadline, type Transport } from '@strata/world'
import type { NodeTransport } from '@strata/world/node'
import type { CliContext } from '../context.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { connectAccess } from './exec-credential.ts'
import { type ClusterAccess, kubeconfigSource, loadAccess, loadFleetContexts } from './kubeconfig.ts'
import { loadPodAccess } from './pod-access.ts'

export interface ClusterFlags {
  readonly kubeconfig?: string | undefined
  /** Several contexts are several servers of one fleet: if one does not answer, the next is tried. */
  readonly context: readonly string[]
  /** Overrides the server of the context. */
  readonly server?: string | undefined
}

export interface ClusterConnection {
  readonly client: Client
  /** The number of servers. */
  readonly servers: number
  close(): void
}

/** Connects to the cluster that the flags name. `wrap` sees every request and its outcome. */
export async function connectCluster(
  flags: ClusterFlags,
  { environment, world }: CliContext,
  userAgent: string,
  wrap: (transport: Transport) => Transport = (transport) => transport,
): Promise<ClusterConnection> {
  const source = kubeconfigSource(flags.kubeconfig, environment)
  const [firstName, ...otherNames] = flags.context
  const pod = flags.kubeconfig === undefined && firstName === undefined && (await loadPodAccess(environment))
  const options = { clock: world.clock, environment }
  const reach = (access: ClusterAccess): NodeTransport =>
    connectAccess(atServer(access, flags.server ?? access.server), options)
  const first = reach(pod || (await loadAccess(source, firstName)))
  const others: NodeTransport[] = []
  for (const name of otherNames) others.push(reach(await loadAccess(source, name)))
  return {
    client: createClient({
      transport: wrap(createFailoverTransport([first, ...others])),
      userAgent,
      answerLimit: { clock: world.clock, answerMs },
    }),
    servers: 1 + others.length,
    close: () => {
      for (const transport of [first, ...others]) transport.close()
    },
  }
}

/** For commands that keep running: a wrong kubeconfig fails again on restart, so it ends with the exit code for usage. */
export async function connectAsGiven(
  ...args: Parameters<typeof connectCluster>
): ReturnType<typeof connectCluster> {
  try {
    return await connectCluster(...args)
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== 1) throw error
    throw new CliError(error.message, exitCodes.usage, { cause: error })
  }
}

/** `tls-server-name` applies to the address of the context only, as with kubectl: another server has another certificate. */
export function atServer({ serverName, ...access }: ClusterAccess, server: string): ClusterAccess {
  const isSame = server === access.server
  return { ...access, server, ...(isSame && serverName !== undefined ? { serverName } : {}) }
}

/** Longer than the minute after which servers end a request themselves. */
const answerMs = 90_000

const askMs = 30_000
/** The limit for one server while there are others to try. */
const oneServerMs = 5_000

/** Tries the servers in turn, each with a limit: a frozen server accepts every request and answers none. */
export async function askAnyServer<T>(
  { client, servers }: ClusterConnection,
  { world, signal }: CliContext,
  ask: (client: Client, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const limit = deadline(world.clock, attempt < servers ? oneServerMs : askMs, signal)
    try {
      return await ask(client, limit.signal)
    } catch (error) {
      // The failover transport now uses the next server.
      if (!(error instanceof DeadlineExceeded) || attempt >= servers || signal.aborted) throw error
    } finally {
      limit.dispose()
    }
  }
}

/** Moves the connection to a server that answers, if there is one: the first may be frozen. */
export async function turnToAnswering(connection: ClusterConnection, context: CliContext): Promise<void> {
  if (connection.servers > 1)
    await askAnyServer(connection, context, (client, signal) => client.discover(signal))
}

export interface ServerConnections {
  readonly clients: readonly Client[]
  /** The address of the cluster. */
  readonly address: string
  close(): void
}

/**
 * Connects to each server by itself, with the credentials of the first context. Without names it opens `samples` connections
 * to the address of the context: a load balancer may lead each of them to another server.
 */
export async function connectServers(
  flags: ClusterFlags,
  { environment, world }: CliContext,
  userAgent: string,
  { server, samples }: { readonly server: readonly string[]; readonly samples: number },
): Promise<ServerConnections> {
  const access = await loadAccess(kubeconfigSource(flags.kubeconfig, environment), flags.context[0])
  const urls = server.length > 0 ? server : Array.from({ length: Math.max(1, samples) }, () => access.server)
  const transports = urls.map((url) =>
    connectAccess(atServer(access, url), { clock: world.clock, environment }),
  )
  return {
    clients: transports.map((transport) =>
      createClient({ transport, userAgent, answerLimit: { clock: world.clock, answerMs } }),
    ),
    address: access.server,
    close: () => {
      for (const transport of transports) transport.close()
    },
  }
}

/** The contexts of the flags. Without any: those of all servers of the fleet in the kubeconfig. */
export async function fleetContexts(
  flags: ClusterFlags,
  { environment }: CliContext,
): Promise<readonly string[]> {
  if (flags.context.length > 0) return flags.context
  return loadFleetContexts(kubeconfigSource(flags.kubeconfig, environment))
}
