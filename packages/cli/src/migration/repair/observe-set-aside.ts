import type { ApiError, GroupResource } from '@strata/api'
import { type DiscoveredResource, isTransient, type ObjectReference, type PageOptions } from '@strata/client'
import type { CliContext } from '../../context.ts'
import type { StoreSource } from '../../stored/observe-store.ts'
import { observeCensus } from '../evidence/observe-census.ts'
import type { RecordState, RecordStore } from '../records/record.ts'
import type { Cluster } from '../resources/cluster.ts'
import { pagesWithRetries } from '../resources/list-pages.ts'
import { isUnreadableNow } from '../run/is-unreadable-now.ts'
import { isTransientForReading, patienceMs, readMs, withRetries } from '../run/read-with-retries.ts'

/** An object that a migration could not rewrite, or that no server can decode. */
export interface SetAside extends ObjectReference {
  readonly reason: string
  readonly message: string
  readonly isRecorded: boolean
}

export interface SetAsideSight {
  readonly records: RecordStore
  /** The open migration, else the last one. */
  readonly record: RecordState | undefined
  readonly objects: readonly SetAside[]
  /** Counted in the record, and not named in it. */
  readonly unnamed: number
}

/** A list fails because of objects that cannot be decoded, and the server does not name them. */
export class UnnamedUndecodable extends Error {}

const mostNamed = 1_000
const pageSize = 500
const looking = { limitMs: readMs, patienceMs, isWorthIt: isTransient, onWait: () => {} }
const reading = { ...looking, isWorthIt: isTransientForReading }

/** Everything of one resource that is set aside: by the record of its latest migration, and by what cannot be decoded now. */
export async function observeSetAside(
  cluster: Cluster,
  resource: DiscoveredResource,
  source: StoreSource | undefined,
  context: Pick<CliContext, 'world' | 'signal'>,
): Promise<SetAsideSight> {
  const records = await cluster.records(resource)
  const record = await withRetries(context, (each) => records.readLatest(each), looking)
  const { quarantine = [], quarantined = 0 } = record?.progress ?? {}
  const recorded = quarantine.map(({ message = '', ...each }) => ({ ...each, message, isRecorded: true }))
  const undecodable = await observeUndecodable(cluster, resource, source, context)
  const objects = new Map(undecodable.map((each) => [nameOf(each), each]))
  for (const each of recorded) {
    const seen = objects.get(nameOf(each))
    objects.set(nameOf(each), seen ? { ...seen, isRecorded: true } : each)
  }
  return {
    records,
    record,
    // A migration sets them aside in the order in which their last tries failed.
    objects: [...objects.values()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
    unnamed: Math.max(0, quarantined - quarantine.length),
  }
}

export const nameOf = ({ namespace, name }: ObjectReference): string =>
  namespace === undefined || namespace === '' ? name : `${namespace}/${name}`

/** A census names what it cannot read; elsewhere a list that fails does, if the server says so in its causes. */
async function observeUndecodable(
  cluster: Cluster,
  resource: DiscoveredResource,
  source: StoreSource | undefined,
  context: Pick<CliContext, 'world' | 'signal'>,
): Promise<readonly SetAside[]> {
  const { client } = cluster
  const read = <T>(act: (signal: AbortSignal) => Promise<T>) => withRetries(context, act, reading)
  const offered = cluster.dataSide(resource)
  const census = await read((signal) => observeCensus(client, offered, resource, mostNamed, signal))
  if (census.kind === 'counted') {
    const { unreadable, objects = [] } = census.status
    if (unreadable === 0) return []
    return objects.flatMap(({ namespace, name, reason, message = '' }) =>
      reason === 'Unreadable' ? [undecodableOf({ namespace, name }, message)] : [],
    )
  }
  const metadata = client.metadata(resource)
  try {
    const isWorthIt = (error: unknown): boolean => isTransient(error) && !isUnreadableNow(error)
    const listPage = (page: PageOptions, signal: AbortSignal) => metadata.listPage(page, signal)
    const pages = pagesWithRetries(context, listPage, pageSize, { isWorthIt })
    for await (const _ of pages);
    return []
  } catch (error) {
    if (!isUnreadableNow(error)) throw error
    const named = namedIn(error, resource)
    if (named.length > 0) return named
    if (source === undefined) throw new UnnamedUndecodable(error.message)
    // Loaded only here: it brings the server's decoders.
    const { nameUndecodable } = await import('./name-undecodable.ts')
    const found = await read((signal) =>
      nameUndecodable(cluster, resource, source, mostNamed, { world: context.world, signal }),
    )
    if (found.length === 0) throw new UnnamedUndecodable(error.message)
    return found.map(({ message, ...each }) => undecodableOf(each, message))
  }
}

/** kube-apiserver names the keys of what it cannot decode (KEP-3926). */
function namedIn(
  { status, message }: ApiError,
  { namespaced }: DiscoveredResource & GroupResource,
): SetAside[] {
  return (status.details?.causes ?? []).flatMap(({ field = '', message: why }) => {
    const parts = field.split('/').filter((each) => each !== '')
    const name = parts.at(-1)
    if (name === undefined || (namespaced && parts.length < 2)) return []
    return [undecodableOf({ namespace: namespaced ? parts.at(-2) : undefined, name }, why ?? message)]
  })
}

const undecodableOf = (
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
  message: string,
): SetAside => ({
  ...(namespace === undefined || namespace === '' ? {} : { namespace }),
  ...{ name, reason: 'Undecodable', message, isRecorded: false },
})

/** Resources of which a migration has set something aside, or could not go on. */
export async function resourcesSetAside(
  cluster: Cluster,
  all: readonly DiscoveredResource[],
  signal: AbortSignal,
): Promise<readonly DiscoveredResource[]> {
  const found: DiscoveredResource[] = []
  for (const each of all) {
    signal.throwIfAborted()
    const record = await (await cluster.records(each)).readLatest(signal)
    if (record === undefined) continue
    const { progress, failure, end } = record
    if ((progress.quarantined ?? 0) > 0 || failure !== undefined || end?.outcome === 'failed')
      found.push(each)
  }
  return found
}
