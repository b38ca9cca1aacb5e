import { type Client, createClient, createFailoverTransport } from '@strata/client'
import { DeadlineExceeded, deadline, type Transport } from '@strata/world'
import type { NodeTransport } from '@strata/world/node'
import type { CliContext } from '../context.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { type AccessFlags, decideAccess } from './access-flags.ts'
import { connectAccess } from './exec-credential.ts'
import { type ClusterAccess, kubeconfigSource, loadAccess, loadFleetContexts } from './kubeconfig.ts'
import { loadPodAccess } from './pod-access.ts'
import { tellRequests } from './told-transport.ts'

export interface ClusterFlags extends AccessFlags {
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
  context: CliContext,
  userAgent: string,
  wrap: (transport: Transport) => Transport = (transport) => transport,
): Promise<ClusterConnection> {
  const { environment } = context
  const source = kubeconfigSource(flags.kubeconfig, environment)
  const [firstName, ...otherNames] = flags.context
  const pod = flags.kubeconfig === undefined && firstName === undefined && (await loadPodAccess(environment))
  const reach = (access: ClusterAccess): NodeTransport =>
    reachServer(access, flags.server ?? access.server, flags, context)
  const first = reach(pod || (await loadAccess(source, firstName)))
  const others: NodeTransport[] = []
  for (const name of otherNames) others.push(reach(await loadAccess(source, name)))
  return {
    client: createClient({
      transport: wrap(createFailoverTransport([first, ...others])),
      userAgent,
      ...answerLimitOf(flags, context),
    }),
    servers: 1 + others.length,
    close: () => {
      for (const transport of [first, ...others]) transport.close()
    },
  }
}

/** Connects to one server with the credentials of a context, and what the flags override. */
function reachServer(
  access: ClusterAccess,
  server: string,
  flags: AccessFlags,
  { environment, world: { clock }, warn, canAsk }: CliContext,
): NodeTransport {
  const transport = connectAccess(decideAccess(atServer(access, server), flags), {
    clock,
    environment,
    canAsk,
  })
  return flags.verbose && warn ? tellRequests(transport, clock, warn) : transport
}

function answerLimitOf({ requestTimeout = answerMs }: AccessFlags, { world }: CliContext) {
  return requestTimeout === 0 ? {} : { answerLimit: { clock: world.clock, answerMs: requestTimeout } }
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
  context: CliContext,
  userAgent: string,
  { server, samples }: { readonly server: readonly string[]; readonly samples: number },
): Promise<ServerConnections> {
  const source = kubeconfigSource(flags.kubeconfig, context.environment)
  const access = await loadAccess(source, flags.context[0])
  const urls = server.length > 0 ? server : Array.from({ length: Math.max(1, samples) }, () => access.server)
  const transports = urls.map((url) => reachServer(access, url, flags, context))
  return {
    clients: transports.map((transport) =>
      createClient({ transport, userAgent, ...answerLimitOf(flags, context) }),
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
