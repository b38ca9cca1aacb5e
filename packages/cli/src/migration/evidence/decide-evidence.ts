import type { StorageCensusStatus } from '@strata/api'
import {
  type MigrationTarget,
  type Proof,
  sameTarget,
  type TargetDecision,
  targetText,
} from '@strata/controllers'
import { formatCount } from '@strata/insight'
import type { ExitWord } from '../../output/exit-codes.ts'
import { type Asked, establishedText } from './established.ts'
import type { CensusAnswer } from './observe-census.ts'

/** An ended migration, from an object or a file. */
export interface PastMigration {
  readonly where: string
  readonly at?: string | undefined
  readonly succeeded: boolean
  readonly proof: Proof
  readonly quarantined: number
  /** The target that the migration was bound to; undefined if another migrator has run it. */
  readonly target: MigrationTarget | undefined
}

export type Verdict = Proof | 'stale' | 'disagreed'

export interface EvidenceFacts {
  readonly target: TargetDecision
  readonly census: CensusAnswer
  /** The latest first. */
  readonly past: readonly PastMigration[]
  /** Why further migrations may exist that could not be read. */
  readonly pastUnseen?: string
  /** Servers that cannot open all that may be stored, where something could not be read. */
  readonly lackedKeys?: readonly string[]
  readonly asked: Asked
  /** Aggregated servers store the resource, and have its record. */
  readonly isAggregated?: boolean
}

export interface Evidence {
  readonly verdict: Verdict
  readonly because: string
  /** The same without what is about encryption keys; absent if nothing is. */
  readonly aboutVersions?: string
  /** How it is known that all servers write the same. */
  readonly established?: string
  readonly target?: MigrationTarget
  readonly census?: StorageCensusStatus
  /** How many objects the latest migration set aside: to migrate again does not mend them. */
  readonly setAside?: number
  /** Stored versions that no server can decode: no migration can change these objects. */
  readonly undecodable?: readonly string[]
  /** Servers that lack keys of unreadable objects: no migration can change these objects either. */
  readonly lackedKeys?: readonly string[]
  /** The versions that servers can decode, if `undecodable` is set. */
  readonly decodable?: readonly string[]
}

export const verdictExits: Readonly<Record<Verdict, ExitWord>> = {
  proven: 'proven',
  'observed clean': 'observedClean',
  unknown: 'unknown',
  stale: 'incomplete',
  disagreed: 'aborted',
}

/** What is known about the stored objects without writing any. */
export function decideEvidence(facts: EvidenceFacts): Evidence {
  const { target: decision, census, asked } = facts
  const counted = census.kind === 'counted' ? { census: census.status } : {}
  if (!decision.agreed) {
    const isEmpty = census.kind === 'counted' && isProvenEmpty(census.status)
    return isEmpty
      ? { verdict: 'proven', because: nothingStored, ...counted }
      : { verdict: 'disagreed', because: decision.because, ...counted }
  }
  const { target } = decision
  const { lackedKeys = [] } = facts
  const base = {
    ...{ target, ...counted },
    established: establishedText(target, { ...asked, ...shownIn(decision) }, facts.isAggregated),
    ...undecodableIn(facts),
    ...(lackedKeys.length === 0 ? {} : { lackedKeys }),
  }
  if (census.kind === 'counted') return { ...base, ...fromCensus(target, census.status) }
  if (target.how === 'unpublished')
    return { ...base, verdict: 'unknown', because: 'its storage version is not published' }
  return { ...base, ...fromThePast(target, facts) }
}

/** How many servers have shown the target. */
export const shownIn = ({ shownBy }: { readonly shownBy?: number }): Pick<Asked, 'shownBy'> =>
  shownBy === undefined ? {} : { shownBy }

const nothingStored = 'no object is stored, and no server writes it'

/** Without an agreement only the record of a resource that no server writes lets a census prove anything. */
const isProvenEmpty = ({ proven, total, agreedVersion }: StorageCensusStatus): boolean =>
  proven && total === 0 && agreedVersion === undefined

function undecodableIn({ target, census }: EvidenceFacts): Pick<Evidence, 'undecodable' | 'decodable'> {
  if (!target.agreed || target.decodable === undefined || census.kind !== 'counted') return {}
  const decodable = new Set(target.decodable)
  const stored = new Set(census.status.encodings.map(({ encodingVersion }) => encodingVersion))
  const undecodable = [...stored].filter((each) => !decodable.has(each))
  return undecodable.length === 0 ? {} : { undecodable, decodable: target.decodable }
}

type Said = Pick<Evidence, 'verdict' | 'because' | 'aboutVersions' | 'setAside'>

/**
 * Compares the census with the target itself: servers count stale objects only if they agree, and a user who may not read
 * the record does not see that they disagree.
 */
function fromCensus(target: MigrationTarget, census: StorageCensusStatus): Said {
  const { agreedVersion } = census
  // The census is of another epoch than the target: the agreement changed in between. The next run sees one of them.
  if (target.how === 'record' && census.epoch !== target.epoch) {
    const now = census.epoch === undefined ? 'no epoch' : `epoch ${census.epoch}`
    return { verdict: 'disagreed', because: `epoch ${target.epoch} became ${now} while the store was read` }
  }
  const { recordUID } = census
  if (recordUID !== undefined && target.recordUID !== undefined && recordUID !== target.recordUID) {
    return {
      verdict: 'disagreed',
      because: 'the agreement record was created again while the store was read',
    }
  }
  const what = target.encodingVersion ?? agreedVersion
  if (what === undefined) return { verdict: 'unknown', because: disagreedWhileRead }
  if (agreedVersion !== undefined && agreedVersion !== what) {
    return {
      verdict: 'disagreed',
      because: `the target is ${what}, and the servers agreed on ${agreedVersion}`,
    }
  }
  const found = staleParts(census, what)
  if (found.length > 0) return { verdict: 'stale', because: found.join(', ') }
  const read = readText(census, what)
  if (census.stale === undefined) return { verdict: 'unknown', because: `${read}, but ${disagreedWhileRead}` }
  if (census.proven && target.fenced) return { verdict: 'proven', because: read }
  return { verdict: 'observed clean', because: `${read}, but writes are not fenced` }
}

/** Every object is in one version; and under the current key, if nothing is stale. */
function readText({ total, resourceVersion, stale, writeKey }: StorageCensusStatus, what: string): string {
  const at = `(read at revision ${resourceVersion})`
  if (total === 0) return `no object is stored ${at}`
  const under = stale === 0 && writeKey !== undefined ? ` under ${writeKey}` : ''
  const all = total === 1 ? 'the one stored object is' : `all ${formatCount(total)} stored objects are`
  return `${all} in ${what}${under} ${at}`
}

const disagreedWhileRead = 'the servers had no agreement when the store was read'

/** In another version, or in the right one under another key than is written with now. */
function staleParts({ total, encodings, stale, unreadable }: StorageCensusStatus, what: string): string[] {
  const others = encodings.filter(({ encodingVersion }) => encodingVersion !== what)
  const inOthers = others.reduce((sum, { count }) => sum + count, 0)
  const underOthers = stale === undefined ? 0 : stale - inOthers
  return [
    ...(inOthers > 0 ? [`${formatCount(inOthers)} of ${formatCount(total)} are not in ${what}`] : []),
    ...(underOthers > 0
      ? [`${formatCount(underOthers)} are encrypted with another key than the current one`]
      : []),
    ...(unreadable > 0 ? [`${formatCount(unreadable)} cannot be read`] : []),
  ]
}

function fromThePast(target: MigrationTarget, { past, pastUnseen, census }: EvidenceFacts): Said {
  const same = past.filter((each) => each.target !== undefined && sameTarget(each.target, target).same)
  const proven = same.find(({ succeeded, proof }) => succeeded && proof === 'proven')
  const latest = proven ?? same[0]
  const unread = unreadText(census)
  if (latest === undefined) {
    const none = past.length === 0 ? 'no migration is on record' : 'no migration to this target is on record'
    const other = pastUnseen === undefined ? none : `past migrations could not be read (${pastUnseen})`
    return { verdict: 'unknown', because: `${unread}, and ${other}` }
  }
  const when = latest.at === undefined ? '' : ` at ${latest.at}`
  const by = `${latest.where}${when}`
  if (latest.quarantined > 0) {
    const { quarantined: setAside } = latest
    const because = `${formatCount(setAside)} ${setAside === 1 ? 'object was' : 'objects were'} set aside by ${by}`
    return { verdict: 'stale', because, setAside }
  }
  if (!latest.succeeded) return { verdict: 'unknown', because: `${by} did not succeed` }
  if (latest.proof === 'unknown')
    return { verdict: 'unknown', because: `${by} rewrote everything, which proves nothing` }
  // A hash that went and came back is the same hash, and what was written in between is in the other.
  if (target.how === 'discovery') {
    const because = `${by} migrated everything to ${targetText(target)}, but a hash does not show whether it changed in between`
    return { verdict: 'unknown', because }
  }
  const aboutVersions = `${by} migrated everything to ${targetText(target)}, which has not changed since`
  return { verdict: latest.proof, because: `${aboutVersions}${keysText(target)}`, aboutVersions }
}

function unreadText(census: CensusAnswer): string {
  switch (census.kind) {
    case 'forbidden':
      return `you lack a right to read the store (${census.because})`
    case 'refused':
      return `the servers refuse to read the store (${census.because})`
    default:
      return 'the store cannot be read through this API'
  }
}

/**
 * Only a record names keys. Elsewhere: everything is migrated under one key, and the servers get another key. Nothing that is
 * published changes, and a user who relies on the verdict deletes the key that all objects are under.
 */
function keysText({ how }: MigrationTarget): string {
  return how === 'record'
    ? ''
    : '. Encryption keys are not visible here: after a change of keys, migrate again'
}
