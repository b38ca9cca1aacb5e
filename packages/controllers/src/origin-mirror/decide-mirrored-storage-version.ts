import {
  type MirroredOrigin,
  mirroredServerId,
  originsAnnotation,
  originsOf,
  originsText,
  type ServerStorageVersion,
  type StorageAgreement,
  type StorageVersion,
  shownServer,
  withOrigins,
} from '@strata/api'
import { compareResourceVersions, type Preconditions } from '@strata/client'
import { partsOf, sameServers, sortServers, withServers } from './mirrored-parts.ts'

export interface StorageVersionFacts {
  readonly origin: string
  /** `<group>.<resource>`: of the record, and of the StorageVersion. */
  readonly name: string
  /** The object in the aggregator. Undefined: certainly absent. */
  readonly shown: StorageVersion | undefined
  /** The record of the origin, read after `shown`. Undefined: certainly absent. */
  readonly record: StorageAgreement | undefined
  /** Whether the mirrored Lease of a server stands. Without it, the aggregator's collector removes the entry. */
  readonly hasLease: (serverID: string) => boolean
  /** How long this leader has seen the aggregator show a newer state than the record has. */
  readonly behindMs: number
  readonly now: string
}

export type MirroredStorageVersionDecision =
  | { readonly do: 'nothing'; readonly because: string }
  /** The record is older than what the aggregator shows. */
  | { readonly do: 'wait'; readonly because: string }
  | MirroredStorageVersionWrite

export type MirroredStorageVersionWrite =
  /** `name` writes the metadata, `show` the status: the API has no request for both. */
  | { readonly do: 'create' | 'name' | 'show'; readonly object: StorageVersion; readonly because: string }
  | { readonly do: 'delete'; readonly preconditions: Preconditions; readonly because: string }

/** After this long, a record that is older than what the aggregator shows is shown all the same. */
export const behindForMs = 60_000

/**
 * The next write that brings the StorageVersion of an aggregated resource closer to the record of its origin (rule 15). Each
 * write is one step: the caller reads both again before the next one.
 *
 * The origin is named before its entries are shown, and its entries are removed before its name. Otherwise: (1) the entries of
 * epoch 5 are shown and still called epoch 4; (2) a leader that was frozen with epoch 4 thaws, finds its own epoch named, and
 * takes the entries back.
 */
export function decideMirroredStorageVersion(facts: StorageVersionFacts): MirroredStorageVersionDecision {
  const { origin, name, shown, record, hasLease, behindMs } = facts
  const wanted = record ? wantedServers(origin, record, hasLease) : []
  const origins = shown ? originsOf(shown) : []
  const named = origins.find((each) => each.origin === origin)
  if (record && named && isOlder(record, named) && behindMs < behindForMs) {
    return { do: 'wait', because: `it shows epoch ${named.epoch}, and the record has ${record.status.epoch}` }
  }
  const others = origins.filter((each) => each.origin !== origin)
  if (!record || wanted.length === 0) return removal(facts, others, named !== undefined)

  const { uid = '', resourceVersion = '' } = record.metadata
  const state = { origin, recordUID: uid, epoch: record.status.epoch, resourceVersion }
  const all = [...others, state]
  if (!shown) {
    const object: StorageVersion = { metadata: { name }, spec: {}, status: {} }
    return { do: 'create', object: withOrigins(object, all), because: 'there is no such object' }
  }
  if (shown.metadata.annotations?.[originsAnnotation] !== originsText(all)) {
    return { do: 'name', object: withOrigins(shown, all), because: 'the record has changed' }
  }
  const { own, foreign } = partsOf(shown, origin)
  if (sameServers(own, wanted)) return { do: 'nothing', because: 'it shows the record' }
  return {
    do: 'show',
    object: withServers(shown, [...foreign, ...wanted], facts.now),
    because: 'entries differ',
  }
}

/** Removes the part of this origin: its entries, then its name; the object with its last part. */
function removal(
  facts: StorageVersionFacts,
  others: readonly MirroredOrigin[],
  isNamed: boolean,
): MirroredStorageVersionDecision {
  const { shown, origin } = facts
  if (!shown) return { do: 'nothing', because: 'there is nothing to show' }
  const { own, foreign } = partsOf(shown, origin)
  if (own.length === 0 && !isNamed) return { do: 'nothing', because: 'this origin has no part in it' }
  const because = 'the origin has no entry left'
  if (foreign.length === 0 && others.length === 0) {
    const { uid, resourceVersion } = shown.metadata
    return { do: 'delete', preconditions: { uid, resourceVersion }, because }
  }
  if (own.length > 0) return { do: 'show', object: withServers(shown, foreign, facts.now), because }
  return { do: 'name', object: withOrigins(shown, others), because }
}

/** As the StorageVersion of the origin shows them, under their names in the aggregator, sorted. */
function wantedServers(
  origin: string,
  { status }: StorageAgreement,
  hasLease: (serverID: string) => boolean,
): readonly ServerStorageVersion[] {
  const mirrored = status.servers
    .filter(({ serverID }) => hasLease(serverID))
    .map((entry) => ({ ...shownServer(entry), apiServerID: mirroredServerId(origin, entry.serverID) }))
  return sortServers(mirrored)
}

/**
 * Whether the aggregator shows a newer state of the same record. The order of reads excludes that, unless the origin's store was
 * restored or a client wrote the annotation. Epochs count first: once the servers have noticed a restore, the epoch is above
 * every lost one, while revisions may be below (rule 19). A record with another uid is another record.
 */
function isOlder({ metadata, status }: StorageAgreement, shown: MirroredOrigin): boolean {
  if (metadata.uid !== shown.recordUID) return false
  if (status.epoch !== shown.epoch) return status.epoch < shown.epoch
  return (compareResourceVersions(metadata.resourceVersion ?? '', shown.resourceVersion) ?? 0) < 0
}
