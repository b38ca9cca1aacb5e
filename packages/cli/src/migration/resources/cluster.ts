import { type GroupResource, groupResourceText } from '@strata/api'
import { type Client, type DiscoveredResource, type Discovery, MalformedAnswer } from '@strata/client'
import {
  type DataAddresses,
  findDataSide,
  findOrigin,
  type Looks,
  type ObjectPart,
  observeTarget,
  ownDataSide,
  type TargetDecision,
} from '@strata/controllers'
import { DeadlineExceeded, deadline, severalAtOnce } from '@strata/world'
import { ApiServerFinder, type ApiServers } from '../../connection/api-servers/api-servers.ts'
import {
  askAnyServer,
  type ClusterFlags,
  connectCluster,
  connectServers,
  fleetContexts,
} from '../../connection/cluster-client.ts'
import type { CliContext } from '../../context.ts'
import { CliError, explain } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { type Asked, askedOf } from '../evidence/established.ts'
import {
  explainDisagreement,
  isRefusedByAll,
  lackedKeyTexts,
  observeResource,
} from '../evidence/explain-disagreement.ts'
import type { StateKind } from '../records/file-records.ts'
import { missingText, neededRights, observeMissing } from '../records/migration-rights.ts'
import { createObjectRecords } from '../records/object-records.ts'
import type { RecordStore } from '../records/record.ts'
import { allMigratable, chooseResources } from './choose-resources.ts'
import { ClusterState } from './cluster-state.ts'
import { observeRecorded } from './recorded-resource.ts'
import { shareDiscovery } from './shared-discovery.ts'

export interface MigrationFlags extends Omit<ClusterFlags, 'server'> {
  readonly server: readonly string[]
  readonly samples: number
}

interface RightsOptions {
  readonly part?: ObjectPart | undefined
  /** Only rehearsed: no progress is stored. */
  readonly dryRun?: boolean
}

/** A cluster as far as those who migrate have to know it. */
export interface Cluster {
  readonly client: Client
  readonly discovery: Discovery
  /** The servers that were asked last. */
  readonly asked: Asked
  /** API servers that can be asked one by one; else connections through one address, which may lead to several. */
  servers(signal: AbortSignal): Promise<ApiServers>
  /** It has agreement records, and controllers that know what a claim is. */
  readonly isStrata: boolean
  /** Whether aggregated servers store the resource, and have its agreement record. */
  isAggregated(resource: GroupResource): boolean
  /** Where the servers that store the resource count its objects; undefined if they do not offer that. */
  dataSide(resource: GroupResource): DataAddresses | undefined
  /** Reads every source of the version that a resource is stored in. */
  observe(resource: GroupResource, signal: AbortSignal): Promise<TargetDecision>
  /** The same for several resources, with fewer requests. */
  observeAll(resources: readonly GroupResource[], signal: AbortSignal): Promise<Looks>
  /** Servers that lack keys of stored objects, and what to do; empty if the user may not read that. */
  observeLackedKeys(resource: GroupResource, signal: AbortSignal): Promise<readonly string[]>
  /** Whether every server refuses the resource, because it cannot read all stored objects; false if that is unknown. */
  isRefusedByAll(resource: GroupResource, signal: AbortSignal): Promise<boolean>
  /** The store of the migrations of a resource. */
  records(resource: DiscoveredResource): Promise<RecordStore>
  /** A sentence with the permissions that this user lacks to migrate it; undefined if none is known to be missing. */
  missingRights(
    resource: DiscoveredResource,
    signal: AbortSignal,
    options?: RightsOptions,
  ): Promise<string | undefined>
  /** Where this user keeps things about this cluster. */
  stateDirectory(kind: StateKind): Promise<string>
  /** Identifies the cluster, by whatever address it is reached, if that can be told. */
  id(signal: AbortSignal): Promise<string>
  close(): void
}

const plural = 'storageversionmigrations'
const lookMs = 60_000
/** How many resources are observed at once: hundreds, one after the other, take long. */
const looksAtOnce = 8

/** Runs `act` with a cluster. Ctrl-C is not reported as a cluster that could not be reached. */
export async function withCluster<T>(
  flags: MigrationFlags,
  context: CliContext,
  act: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  let cluster: Cluster | undefined
  try {
    cluster = await openCluster(flags, context)
    return await act(cluster)
  } catch (error) {
    if (context.signal.aborted) throw new CliError('it was stopped', exitCodes.stopped, { cause: error })
    throw notSeenError('the cluster did not answer', error)
  } finally {
    cluster?.close()
  }
}

async function openCluster(flags: MigrationFlags, context: CliContext): Promise<Cluster> {
  const userAgent = 'strata-migrate'
  const { server, samples, ...asked } = flags
  const contexts = await notSeen(() => fleetContexts(asked, context))
  const reached = { ...asked, ...contexts }
  const connection = await notSeen(() => connectCluster(reached, context, userAgent))
  const { client } = connection
  try {
    const discovery = await askAnyServer(connection, context, (_, signal) => client.discover(signal))
    const servers = await notSeen(() => connectServers(reached, context, userAgent, { server, samples }))
    const serves = (group: string, resource: string): boolean =>
      discovery.resources.some((each) => each.group === group && each.resource === resource)
    const isStrata = serves('strata.dev', 'storageagreements')
    const groups = ['migration.k8s.io', 'storagemigration.k8s.io'].filter((group) => serves(group, plural))
    const isAggregated = (resource: GroupResource): boolean =>
      findOrigin(resource, discovery.resources).kind !== 'none'
    /** A record of this cluster says nothing about a resource that others store. */
    const sightOf = async (resource: GroupResource, signal: AbortSignal) =>
      isStrata && !isAggregated(resource) ? observeResource(client, resource, signal) : undefined
    // The records of Strata's servers say more than any server can be asked for.
    const { reach } = isStrata ? {} : servers
    const kind = server.length > 0 ? 'servers' : 'samples'
    const finder = new ApiServerFinder({
      ...{ client, context, known: { kind, servers: servers.servers } },
      ...(reach === undefined ? {} : { reach }),
      ...(asked.verbose && context.warn ? { onUnasked: context.warn } : {}),
    })
    const state = new ClusterState(client, servers.access, context)
    return {
      ...{ client, discovery, isStrata, isAggregated },
      dataSide: (resource) => {
        if (isAggregated(resource)) return findDataSide(resource, discovery.resources)
        return isStrata ? ownDataSide : undefined
      },
      get asked() {
        return askedOf(finder.last)
      },
      servers: (signal) => finder.find(signal),
      observe: async (resource, signal) => {
        const { servers } = await finder.find(signal)
        const decision = await observeTarget({ client, resource, servers, isNamed: true }, signal)
        const sight = decision.agreed ? undefined : await sightOf(resource, signal)
        return sight ? explainDisagreement(decision, sight, context.world.clock.wallMs()) : decision
      },
      observeLackedKeys: async (resource, signal) => {
        const sight = await sightOf(resource, signal)
        return sight ? lackedKeyTexts(sight, context.world.clock.wallMs()) : []
      },
      isRefusedByAll: async (resource, signal) => {
        const sight = await sightOf(resource, signal)
        return sight !== undefined && isRefusedByAll(sight, resource, context.world.clock.wallMs())
      },
      observeAll: async (resources, signal) => {
        const found = await finder.find(signal).catch(() => finder.last)
        const servers = found.servers.map((each) => ({ ...each, client: shareDiscovery(each.client) }))
        const shared = shareDiscovery(client)
        const looks = new Map<string, TargetDecision>()
        await severalAtOnce(looksAtOnce, resources, async (resource) => {
          if (signal.aborted) return
          const limit = deadline(context.world.clock, lookMs, signal)
          try {
            const options = { client: shared, resource, servers, isNamed: true }
            looks.set(groupResourceText(resource), await observeTarget(options, limit.signal))
          } catch {
            // The migration of this resource will report the error.
          } finally {
            limit.dispose()
          }
        })
        return looks
      },
      records: async (resource) => {
        // Elsewhere such an object is an order to a migrator that knows nothing of claims.
        if (!isStrata || groups.length === 0) return state.records(resource)
        const { world } = context
        return createObjectRecords({ client, resource, servedVersion: resource.versionName, groups, world })
      },
      stateDirectory: (kind) => state.directory(kind),
      missingRights: async (resource, signal, { part, dryRun = false } = {}) => {
        // A migration of some objects only is not recorded, and a rehearsal neither.
        const recordedIn = isStrata && part === undefined && !dryRun ? groups : []
        const missing = await observeMissing(
          client,
          neededRights(resource, recordedIn, part?.namespace),
          signal,
        )
        return missing.length === 0 ? undefined : missingText(missing, groupResourceText(resource))
      },
      id: (signal) => state.id(signal),
      close: () => {
        connection.close()
        finder.close()
        servers.close()
      },
    }
  } catch (error) {
    connection.close()
    throw notSeenError('the cluster could not be asked what it serves', error)
  }
}

/** The named resources, or all that can be migrated. */
export function resourcesOf(
  { discovery }: Cluster,
  names: readonly string[],
  all: boolean,
): readonly DiscoveredResource[] {
  if (all && names.length > 0) throw new CliError('name resources or use --all, not both', exitCodes.usage)
  if (all) return allMigratable(discovery.resources)
  if (names.length === 0) throw new CliError('name resources, or use --all', exitCodes.usage)
  const choice = chooseResources(names, discovery.resources)
  if (choice.kind === 'chosen') return choice.resources
  const [failure] = discovery.failures
  const hidden = failure ? ` (discovery of ${failure.groupVersion} failed: ${failure.why})` : ''
  throw new CliError(`${choice.because}${hidden}`, exitCodes.notSeen)
}

/** The same, and resources whose CRD is deleted, by name: what is left of them can be counted, and nothing else. */
export async function storedResourcesOf(
  cluster: Cluster,
  names: readonly string[],
  all: boolean,
  signal: AbortSignal,
): Promise<readonly DiscoveredResource[]> {
  if (all || names.length === 0) return resourcesOf(cluster, names, all)
  const { resources: served } = cluster.discovery
  const chosen = new Map<string, DiscoveredResource>()
  for (const name of names) {
    const isServed = chooseResources([name], served).kind === 'chosen'
    const recorded = isServed ? undefined : await observeRecorded(cluster.client, name, served, signal)
    for (const each of recorded ? [recorded] : resourcesOf(cluster, [name], false)) {
      chosen.set(groupResourceText(each), each)
    }
  }
  return [...chosen.values()]
}

async function notSeen<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw notSeenError('the cluster cannot be reached', error)
  }
}

/** An error with the exit code for "not seen", so that a script does not take it for an answer. Bugs are thrown. */
export function notSeenError(what: string, error: unknown): CliError {
  const explained = explain(what, error, exitCodes.notSeen)
  const isExplained =
    explained instanceof CliError || error instanceof DeadlineExceeded || error instanceof MalformedAnswer
  if (!isExplained) throw error
  if (explained instanceof CliError && explained.exitCode !== 1) return explained
  const message = explained instanceof Error ? explained.message : String(explained)
  return new CliError(message, exitCodes.notSeen, { cause: error })
}
