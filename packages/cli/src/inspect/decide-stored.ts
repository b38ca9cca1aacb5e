import type { StorageCensusStatus } from '@strata/api'
import { counted } from '@strata/insight'
import type { StoreReading } from '../stored/read-snapshot.ts'
import type { StoredResource } from '../stored/store-tally.ts'
import { type ResourceFacts, type StoredCount, type StoredSight, versionText } from './resource-facts.ts'

export interface StoredSources {
  readonly group: string
  /** From etcd or a snapshot, if one was given; `stored` is missing if nothing is stored. */
  readonly reading?: StoreReading | undefined
  readonly stored?: StoredResource | undefined
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
  const { group, reading, stored, census, evidence, storage, possible } = sources
  if (reading) return fromStore(group, reading, stored)
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

function fromStore(group: string, reading: StoreReading, stored: StoredResource | undefined): StoredSight {
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
  return stored.isExact ? undefined : `${stored.source} is not exact`
}

const byVersion = (a: StoredCount, b: StoredCount): number =>
  a.version < b.version ? -1 : a.version > b.version ? 1 : 0
