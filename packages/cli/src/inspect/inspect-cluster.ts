import { groupResourceText } from '@strata/api'
import type { DiscoveredResource } from '@strata/client'
import type { CliContext } from '../context.ts'
import { allMigratable, chooseResources } from '../migration/resources/choose-resources.ts'
import { type Cluster, type MigrationFlags, withCluster } from '../migration/resources/cluster.ts'
import { askEach, type NotSeen } from '../migration/resources/each-resource.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import type { StoreSight, StoreSource } from '../stored/observe-store.ts'
import { observeFacts } from './observe-facts.ts'
import { observeSameCluster } from './observe-same-cluster.ts'
import { observeShared, type SharedSight } from './observe-shared.ts'
import { offlineFacts } from './offline-facts.ts'
import type { ResourceFacts } from './resource-facts.ts'

export interface Inspection {
  readonly facts: readonly ResourceFacts[]
  /** Resources of which nothing could be read. */
  readonly notSeen: readonly NotSeen[]
  readonly reading?: StoreSight['reading']
}

export interface InspectOptions {
  /** Without any: everything. */
  readonly names: readonly string[]
  readonly source?: StoreSource | undefined
  /** Do not ask a cluster. */
  readonly offline: boolean
}

/** Reads the store, if one is given, and asks the cluster. A store can be inspected without a cluster. */
export async function inspect(
  { names, source, offline }: InspectOptions,
  flags: MigrationFlags,
  context: CliContext,
): Promise<Inspection> {
  if (offline) return inspectStore(names, source, '--offline: no cluster was asked', context)
  let inspection: Inspection | undefined
  let hasAnswered = false
  try {
    await withCluster(flags, context, async (cluster) => {
      hasAnswered = true
      inspection = await inspectCluster(cluster, names, source, context)
    })
  } catch (error) {
    const isAway = !hasAnswered && source !== undefined && error instanceof CliError
    if (!isAway || error.exitCode !== exitCodes.notSeen) throw error
    return inspectStore(names, source, error.message, context)
  }
  return inspection ?? { facts: [], notSeen: [] }
}

async function inspectStore(
  names: readonly string[],
  source: StoreSource | undefined,
  because: string,
  context: CliContext,
): Promise<Inspection> {
  if (!source) {
    throw new CliError('--offline needs a store: give --etcd-snapshot or --etcd-servers', exitCodes.usage)
  }
  const store = await readStore(source, undefined, context)
  const all = offlineFacts(store, because)
  const facts = names.length === 0 ? all : names.map((name) => factsNamed(name, all, store))
  return { facts, notSeen: [], reading: store.reading }
}

/** The cluster is not there to resolve short names. */
function factsNamed(name: string, all: readonly ResourceFacts[], store: StoreSight): ResourceFacts {
  const wanted = name.toLowerCase()
  const isNamed = (each: ResourceFacts): boolean =>
    [groupResourceText(each), each.resource, each.kind.toLowerCase()].includes(wanted)
  const found = all.filter(isNamed)
  const [first, ...others] = found
  if (first && others.length === 0) return first
  const { source } = store.reading
  const why = first
    ? `it may be any of ${found.map(groupResourceText).join(', ')}: name it in full`
    : `${source} holds no such resource, and no CRD of that name`
  throw new CliError(`${JSON.stringify(name)}: ${why}`, exitCodes.notSeen)
}

async function inspectCluster(
  cluster: Cluster,
  names: readonly string[],
  source: StoreSource | undefined,
  context: CliContext,
): Promise<Inspection> {
  const { signal, progress } = context
  const { resources: served } = cluster.discovery
  const store = source ? await readStore(source, served, context) : undefined
  const doubt = store ? await observeSameCluster(cluster, store, signal, ', or add --offline') : undefined
  const doubted =
    doubt === undefined ? [] : [{ what: "whether the store is this cluster's", because: doubt } as const]
  const shared = await observeShared(cluster, signal)
  const resources = chosen(cluster, names, shared)
  const facts: ResourceFacts[] = []
  const answers = await askEach(resources, context, async (each, look) => {
    const onCount = (count: number): void => progress?.(`${groupResourceText(each)}: ${count} objects`)
    const found = await observeFacts(cluster, each, shared, store, { look, onCount, ...context })
    facts.push({ ...found, unseen: [...doubted, ...found.unseen] })
    return undefined
  })
  const notSeen = answers.filter((each): each is NotSeen => each !== undefined)
  return { facts, notSeen, ...(store ? { reading: store.reading } : {}) }
}

/** Also CRDs of which no version is served. */
function chosen(
  cluster: Cluster,
  names: readonly string[],
  shared: SharedSight,
): readonly DiscoveredResource[] {
  const { resources: served, failures } = cluster.discovery
  const unserved = [...shared.definitions.values()]
    .filter(
      ({ group, resource }) => !served.some((each) => each.group === group && each.resource === resource),
    )
    .map(({ group, resource, kind, namespaced, versions }): DiscoveredResource => {
      const versionName = versions.find(({ storage }) => storage)?.name ?? ''
      return { group, resource, kind, namespaced, versionName, verbs: [] }
    })
  if (names.length === 0) return [...allMigratable(served), ...unserved]
  const choice = chooseResources(names, [...served, ...unserved])
  if (choice.kind === 'chosen') return choice.resources
  const [failure] = failures
  const hidden = failure ? ` (discovery of ${failure.groupVersion} failed: ${failure.why})` : ''
  throw new CliError(`${choice.because}${hidden}`, exitCodes.notSeen)
}

async function readStore(
  source: StoreSource,
  served: readonly DiscoveredResource[] | undefined,
  { world, signal, progress }: CliContext,
): Promise<StoreSight> {
  progress?.('reading the store')
  try {
    // Loaded only here: it brings the server's decoders.
    const { observeStore } = await import('../stored/observe-store.ts')
    return await observeStore(source, served, world, signal)
  } finally {
    progress?.('')
  }
}
