import { parseLossless } from '@strata/api'
import { type Client, createClient } from '@strata/client'
import { DeadlineExceeded, deadline, type Transport } from '@strata/world'
import type { NodeTransport } from '@strata/world/node'
import type { CliContext } from '../context.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { type AccessFlags, decideAccess } from './access-flags.ts'
import type { NamedServer } from './api-servers/api-servers.ts'
import { decideEndpointTrust } from './api-servers/decide-endpoint-trust.ts'
import { connectAccess } from './exec-credential.ts'
import { readIdentity } from './fleet/cluster-identity.ts'
import { loadFleetContexts } from './fleet/fleet-contexts.ts'
import { createFleetTransport, type FleetMember } from './fleet/fleet-transport.ts'
import { type ClusterAccess, kubeconfigSource, loadAccess } from './kubeconfig.ts'
import { loadPodAccess } from './pod-access.ts'
import { tellRequests } from './told-transport.ts'

export interface ClusterFlags extends AccessFlags {
  readonly kubeconfig?: string | undefined
  /** Several contexts are several servers of one fleet: if one does not answer, the next is tried. */
  readonly context: readonly string[]
  /** Those of them that the user did not name: `fleetContexts` found them beside the current one. */
  readonly found?: readonly string[] | undefined
  /** Overrides the server of the context. */
  readonly server?: string | undefined
}

export interface ClusterConnection {
  readonly client: Client
  /** What the client sends through: to one server after the other, with the credentials of the contexts. */
  readonly transport: Transport
  /** To the server that is used now, and to no other one. */
  pin(): Transport
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
  const reach = (name: string | undefined, access: ClusterAccess) => ({
    context: name ?? 'the current one',
    transport: reachServer(access, flags.server ?? access.server, flags, context),
    fleet: access.fleet,
    isNamed: name !== undefined && !flags.found?.includes(name),
  })
  const first = reach(firstName, pod || (await loadAccess(source, firstName)))
  const others: (typeof first)[] = []
  for (const name of otherNames) others.push(reach(name, await loadAccess(source, name)))
  const members: readonly [FleetMember, ...FleetMember[]] = [first, ...others]
  const fleet = createFleetTransport(members, { clock: context.world.clock, warn: context.warn })
  const transport = wrap(fleet)
  return {
    client: createClient({
      transport,
      userAgent,
      // A CRD or an object that a command writes back, or saves, keeps every digit.
      parse: parseLossless,
      ...answerLimitOf(flags, context),
    }),
    transport,
    pin: () => wrap(fleet.pin()),
    servers: members.length,
    close: () => {
      for (const { transport } of [first, ...others]) transport.close()
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
  { client, servers }: Pick<ClusterConnection, 'client' | 'servers'>,
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
export async function turnToAnswering(
  connection: Pick<ClusterConnection, 'client' | 'servers'>,
  context: CliContext,
): Promise<void> {
  if (connection.servers > 1)
    await askAnyServer(connection, context, (client, signal) => client.discover(signal))
}

export interface ServerConnections {
  readonly servers: readonly NamedServer[]
  /** How the cluster is reached. */
  readonly access: ClusterAccess
  /** Connects to an endpoint that the cluster names; absent if the kubeconfig gives no way to verify it. */
  readonly reach?: (url: string) => { readonly client: Client; close(): void }
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
  const connect = (url: string, as: ClusterAccess) => {
    const transport = reachServer(as, url, flags, context)
    const client = createClient({ transport, userAgent, ...answerLimitOf(flags, context) })
    return { client, close: () => transport.close() }
  }
  const connections = urls.map((url) => ({ url, ...connect(url, access) }))
  const trust = decideEndpointTrust(decideAccess(access, flags), context)
  return {
    servers: connections.map(({ url, client }) => ({
      name: server.length > 0 ? url : `behind ${url}`,
      client,
    })),
    access,
    ...(server.length > 0 || trust.kind === 'not asked'
      ? {}
      : {
          reach: (url) => {
            // As if the kubeconfig named this address, so that the name counts for it.
            const { serverName } = trust
            return connect(url, { ...access, server: url, serverName })
          },
        }),
    close: () => {
      for (const each of connections) each.close()
    },
  }
}

/** The contexts of the flags. Without any: those of the kubeconfig that may be servers of the same fleet as the current one. */
export async function fleetContexts(
  flags: ClusterFlags,
  { environment }: CliContext,
): Promise<Required<Pick<ClusterFlags, 'context' | 'found'>>> {
  if (flags.context.length > 0) return { context: flags.context, found: flags.found }
  const context = await loadFleetContexts(kubeconfigSource(flags.kubeconfig, environment))
  return { context, found: context.slice(1) }
}

/** What tells whether a context is of the same cluster as another one. A server that does not answer says nothing. */
export async function lookAtContext(
  name: string,
  flags: Omit<ClusterFlags, 'server'>,
  context: CliContext,
): Promise<{ readonly fleet?: string | undefined; readonly uid?: string | undefined }> {
  try {
    const access = await loadAccess(kubeconfigSource(flags.kubeconfig, context.environment), name)
    const transport = reachServer(access, access.server, flags, context)
    try {
      const { clock } = context.world
      const identity = await readIdentity(createClient({ transport }), clock, context.signal)
      return { fleet: access.fleet, ...(identity.kind === 'read' ? { uid: identity.uid } : {}) }
    } catch {
      return { fleet: access.fleet }
    } finally {
      transport.close()
    }
  } catch {
    // The report about this context names the error.
    return {}
  }
}
