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
  readonly kubeconfig?: string
  /** Several contexts are several servers of one fleet: when one does not answer, the next is asked. */
  readonly context: readonly string[]
  /** Instead of the one that the context names: one server of the cluster, and no other. */
  readonly server?: string
}

export interface ClusterConnection {
  readonly client: Client
  /** How many servers there are to ask. */
  readonly servers: number
  close(): void
}

/** Reaches the cluster that the flags name. `wrap` sees every request, and what became of it. */
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

/** For a command that runs on: what is wrong with the kubeconfig is wrong again the next time, and ends as mistyped. */
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

/** The name that its certificate is for goes with the address, as with kubectl: another server has another one. */
export function atServer({ serverName, ...access }: ClusterAccess, server: string): ClusterAccess {
  const isSame = server === access.server
  return { ...access, server, ...(isSame && serverName !== undefined ? { serverName } : {}) }
}

/** Servers give up a request after a minute themselves, unless it is one that is known to take long. */
const answerMs = 90_000

const askMs = 30_000
/** While there are others to ask. */
const oneServerMs = 5_000

/** A server that is frozen takes every request and answers none: each of them gets its time, and no more. */
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
      // The connection has turned to the next one.
      if (!(error instanceof DeadlineExceeded) || attempt >= servers || signal.aborted) throw error
    } finally {
      limit.dispose()
    }
  }
}

/** From here on the connection is to a server that answers, if there is one: the first may be frozen. */
export async function turnToAnswering(connection: ClusterConnection, context: CliContext): Promise<void> {
  if (connection.servers > 1)
    await askAnyServer(connection, context, (client, signal) => client.discover(signal))
}

export interface ServerConnections {
  readonly clients: readonly Client[]
  /** Of the cluster. */
  readonly address: string
  close(): void
}

/**
 * Servers one by one, with the credentials of the first context. Where they are not named, as many connections to its
 * address: a balancer may lead each of them to another server, and says nothing of it.
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

/** Which contexts to use where none was named: those of all servers of the fleet that the kubeconfig is about. */
export async function fleetContexts(
  flags: ClusterFlags,
  { environment }: CliContext,
): Promise<readonly string[]> {
  if (flags.context.length > 0) return flags.context
  return loadFleetContexts(kubeconfigSource(flags.kubeconfig, environment))
}
