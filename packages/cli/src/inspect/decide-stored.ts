import type { StorageCensusStatus } from '@strata/api'
import { counted, formatCount } from '@strata/insight'
import type { DefinitionFacts } from '../stored/definition-facts.ts'
import type { FoundStored } from '../stored/find-stored.ts'
import type { StoreReading } from '../stored/read-snapshot.ts'
import { whyMayHaveChanged } from './decide-since-snapshot.ts'
import { type ResourceFacts, type StoredCount, type StoredSight, versionText } from './resource-facts.ts'

export interface StoredSources {
  readonly group: string
  /** From etcd or a snapshot, if one was given; without `stored` nothing is stored. */
  readonly reading?: StoreReading | undefined
  readonly found?: FoundStored | undefined
  /** The CRD as the cluster has it, and as the store had it when it was read. */
  readonly definition?: DefinitionFacts | undefined
  readonly definitionThen?: DefinitionFacts | undefined
  /** From Strata's servers. */
  readonly census?: StorageCensusStatus | undefined
  /** What agreement, or a past migration of this tool, says about the objects. */
  readonly evidence?: ResourceFacts['evidence'] | undefined
  readonly storage?: ResourceFacts['storage'] | undefined
  /** Versions that may be stored, by the CRD, or by what is served. */
  readonly possible: readonly string[]
}

/** What is stored: by the bytes of the store, else by a census, else by a past migration, else what is possible. */
export function decideStored(sources: StoredSources): StoredSight {
  const { group, reading, census, evidence, storage, possible } = sources
  if (reading) return fromStore(reading, sources)
  if (census) return fromCensus(group, census)
  if (evidence?.verdict === 'observed clean' && storage)
    return {
      kind: 'possible',
      versions: [storage.version],
      because: evidence.because,
      isObservedClean: true,
    }
  const because =
    'no API shows what is stored: read it with --etcd-servers or --etcd-snapshot, or find out with "strata migrate RESOURCE", which rewrites old objects'
  return { kind: 'possible', versions: [...new Set(possible)].toSorted(), because }
}

function fromStore(
  reading: StoreReading,
  { group, found: { stored, doubt } = {}, definition, definitionThen }: StoredSources,
): StoredSight {
  const unseenSince = reading.from === 'snapshot' ? whyMayHaveChanged(definitionThen, definition) : undefined
  const parts = stored?.parts ?? []
  const readable = parts.flatMap(({ apiVersion, count, key, objects }): StoredCount[] =>
    apiVersion === undefined
      ? []
      : [{ version: versionText(apiVersion, group), count, objects, ...(key === undefined ? {} : { key }) }],
  )
  return {
    kind: 'counted',
    ...{
      by: reading.from,
      source: reading.source,
      revision: String(reading.revision),
      isExact: reading.isExact,
    },
    ...{ total: stored?.count ?? 0, bytes: stored?.bytes ?? 0, versions: readable.toSorted(byVersion) },
    ...(doubt === undefined ? {} : { doubt }),
    ...(unseenSince === undefined ? {} : { unseenSince }),
    hidden: parts.flatMap(({ form, key = '', count, because, apiVersion }) =>
      form === 'encrypted' && apiVersion === undefined
        ? [{ key, count, ...(because === undefined ? {} : { because }) }]
        : [],
    ),
    unreadable: parts.reduce((sum, { form, count }) => (form === 'unreadable' ? sum + count : sum), 0),
  }
}

function fromCensus(group: string, census: StorageCensusStatus): StoredSight {
  const { resourceVersion, total, encodings, unreadable, objects = [] } = census
  return {
    kind: 'counted',
    ...{
      by: 'census',
      source: 'census',
      revision: resourceVersion,
      isExact: true,
      total,
      hidden: [],
      unreadable,
    },
    versions: encodings
      .map(({ encodingVersion, count, key }) => ({
        ...{ version: versionText(encodingVersion, group), count },
        ...(key === undefined ? {} : { key }),
        objects: objects
          .filter((each) => each.encodingVersion === encodingVersion)
          .map(({ namespace, name }) => (namespace === undefined ? name : `${namespace}/${name}`)),
      }))
      .toSorted(byVersion),
  }
}

/** Why it is not known in which version everything is stored; undefined if it is. */
export function whyNotKnown(stored: StoredSight): string | undefined {
  if (stored.kind === 'possible') return stored.isObservedClean ? undefined : stored.because
  const hidden = stored.hidden.reduce((sum, { count }) => sum + count, 0)
  const [reason] = stored.hidden.flatMap(({ because }) => because ?? [])
  if (hidden > 0) {
    const next = reason ?? 'give the keys with --encryption-provider-config'
    return `${counted(hidden, 'object')} encrypted, in an unknown version: ${next}`
  }
  if (stored.unreadable > 0) return `${counted(stored.unreadable, 'stored object')} cannot be read`
  if (stored.doubt !== undefined) return stored.doubt
  return stored.isExact ? undefined : `${stored.source} is not exact`
}

/** Why the store that was read is not the one that holds the objects; undefined if it may be. */
export function whyElsewhere({
  stored,
  objects,
}: Pick<ResourceFacts, 'stored' | 'objects'>): string | undefined {
  if (stored.kind === 'possible' || stored.by === 'census' || stored.total > 0) return undefined
  if (objects === undefined || objects.count === 0) return undefined
  return `${stored.source} holds none, and the API lists ${formatCount(objects.count)}: they are stored elsewhere, or came later`
}

const byVersion = (a: StoredCount, b: StoredCount): number =>
  a.version < b.version ? -1 : a.version > b.version ? 1 : 0
