import {
  groupResourceText,
  isFenced,
  isFrozenResource,
  persistedOf,
  plainKey,
  type StorageAgreement,
  type StorageCensusStatus,
  unknownVersion,
  versionNameOf,
} from '@strata/api'
import { formatCount } from '@strata/insight'
import { newestFirst } from '../version-colours.ts'

/** Objects of one resource in one version and under one key. */
export interface Layer {
  readonly version: string
  /** Undefined for what is not encrypted. */
  readonly key: string | undefined
  /** Undefined if it was not counted: such objects may be stored. */
  readonly count: number | undefined
  /** Not the version, or not the key, that is written now. */
  readonly isOld: boolean
}

/** How well it is known: `stale` and `unreadable` are known to be there. */
export type ProofKind = 'proven' | 'clean' | 'may-be-old' | 'stale' | 'unreadable' | 'unknown'

export interface Proof {
  readonly kind: ProofKind
  readonly because: string
}

export interface StorageRow {
  readonly resource: string
  /** Oldest first, so that the newest layer is on the right. */
  readonly layers: readonly Layer[]
  /** Undefined if nothing was counted. */
  readonly total: number | undefined
  readonly unreadable: number
  readonly proof: Proof
  /** It has, or may have, more than one layer. */
  readonly needsAttention: boolean
}

export interface StorageFacts {
  readonly record: StorageAgreement
  readonly census: StorageCensusStatus | undefined
}

export function decideStorageRow({ record, census }: StorageFacts): StorageRow {
  const { spec, status } = record
  const current = status.agreedVersion ?? status.selectedVersion ?? newestWritten(record)
  const isCounted = census !== undefined
  const layers = isCounted ? countedLayers(census, current) : recordedLayers(record, current)
  const proof = decideProof(record, census, layers)
  return {
    resource: groupResourceText(spec),
    layers: layers.toSorted((a, b) => Number(b.isOld) - Number(a.isOld)),
    total: census?.total,
    unreadable: census?.unreadable ?? 0,
    proof,
    // Events expire before a migration of them would be worth it, and frozen kinds have one version for ever.
    needsAttention:
      !['proven', 'clean'].includes(proof.kind) && !isFrozenResource(spec) && spec.resource !== 'events',
  }
}

/** While the servers disagree, what the newest release writes is what will be. */
function newestWritten({ status }: StorageAgreement): string | undefined {
  const written = status.servers.filter(({ refusesWrites }) => refusesWrites !== true)
  return written
    .map(({ encodingVersion }) => encodingVersion)
    .sort((a, b) => newestFirst(versionNameOf(a), versionNameOf(b)))[0]
}

function countedLayers(census: StorageCensusStatus, current: string | undefined): Layer[] {
  const { encodings, agreedVersion = current, writeKey } = census
  return encodings.map(({ encodingVersion, key, count }) => ({
    ...{ version: versionNameOf(encodingVersion), key: key === plainKey ? undefined : key, count },
    isOld: agreedVersion !== undefined && (encodingVersion !== agreedVersion || key !== writeKey),
  }))
}

/** The latest entry of the list is what is written now. */
function recordedLayers({ status }: StorageAgreement, current: string | undefined): Layer[] {
  const [latest] = persistedOf(status)
  return persistedOf(status).map(({ encodingVersion, writeKey }) => ({
    ...{ version: versionNameOf(encodingVersion), key: writeKey === plainKey ? undefined : writeKey },
    count: undefined,
    isOld: encodingVersion !== (current ?? latest?.encodingVersion) || writeKey !== latest?.writeKey,
  }))
}

function decideProof(
  { status }: StorageAgreement,
  census: StorageCensusStatus | undefined,
  layers: readonly Layer[],
): Proof {
  const fenced = isFenced(status)
  if (census && census.unreadable > 0)
    return { kind: 'unreadable', because: `${formatCount(census.unreadable)} cannot be read by any server` }
  if (census?.stale !== undefined && census.stale > 0)
    return {
      kind: 'stale',
      because: `${formatCount(census.stale)} of ${formatCount(census.total)} are in an old version or key`,
    }
  if (status.agreedVersion === undefined)
    return { kind: 'unknown', because: 'the servers do not agree, so more may be written in each version' }
  const version = versionNameOf(status.agreedVersion)
  if (census?.stale === 0) {
    const read = `read at revision ${census.resourceVersion}`
    if (census.proven) return { kind: 'proven', because: `every object is in ${version}, ${read}` }
    return { kind: 'clean', because: `every object is in ${version}, ${read}, but writes are not fenced` }
  }
  const old = layers.filter(({ isOld }) => isOld)
  if (old.some(({ version: each }) => each === unknownVersion))
    return { kind: 'unknown', because: 'objects of an unknown version may be stored' }
  if (old.length > 0) return { kind: 'may-be-old', because: `objects may still be in ${namesOf(old)}` }
  return fenced
    ? { kind: 'proven', because: `every write since the last proof was in ${version}, and fenced` }
    : { kind: 'clean', because: `nothing else was recorded than ${version}, but writes are not fenced` }
}

const namesOf = (layers: readonly Layer[]): string =>
  [
    ...new Set(layers.map(({ version, key }) => (key === undefined ? version : `${version} under ${key}`))),
  ].join(', ')

/** The share of each layer in percent. All layers have the same where nothing was counted: they may be there, or not. */
export function sharesOf({ layers, total }: Pick<StorageRow, 'layers' | 'total'>): readonly number[] {
  const counted = layers.reduce((sum, { count = 0 }) => sum + count, 0)
  if (total === undefined || counted === 0) return layers.map(() => 100 / layers.length)
  // A layer of one object among thousands must still be seen.
  const least = 1.5
  const wide = layers.map(({ count = 0 }) => Math.max(least, (100 * count) / counted))
  const sum = wide.reduce((before, each) => before + each, 0)
  return wide.map((each) => (100 * each) / sum)
}
