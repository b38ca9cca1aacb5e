import type { StorageCensusStatus } from '@strata/api'
import {
  type MigrationTarget,
  type Proof,
  sameTarget,
  type TargetDecision,
  targetText,
} from '@strata/controllers'
import type { ExitWord } from '../../output/exit-codes.ts'
import { formatCount } from '../report/shown-progress.ts'
import { type Asked, establishedText } from './established.ts'
import type { CensusAnswer } from './observe-census.ts'

/** A migration that is over, wherever it is written down. */
export interface PastMigration {
  readonly where: string
  readonly at?: string
  readonly succeeded: boolean
  readonly proof: Proof
  readonly quarantined: number
  /** As it was bound to; undefined if somebody else has run it. */
  readonly target: MigrationTarget | undefined
}

export type Verdict = Proof | 'stale' | 'disagreed'

export interface EvidenceFacts {
  readonly target: TargetDecision
  readonly census: CensusAnswer
  /** The latest first. */
  readonly past: readonly PastMigration[]
  /** Why nobody knows whether there are others. */
  readonly pastUnseen?: string
  /** Servers that cannot open all that may be stored, where something could not be read. */
  readonly lackedKeys?: readonly string[]
  readonly asked: Asked
}

export interface Evidence {
  readonly verdict: Verdict
  readonly because: string
  /** How it is known that all servers write the same. */
  readonly established?: string
  readonly target?: MigrationTarget
  readonly census?: StorageCensusStatus
  /** What is stored and no server can decode: no migration gets by that. */
  readonly undecodable?: readonly string[]
  /** What could not be read may be under keys that servers lack: no migration gets by that either. */
  readonly lackedKeys?: readonly string[]
  /** With what no server can decode: what they can. */
  readonly decodable?: readonly string[]
}

export const verdictExits: Readonly<Record<Verdict, ExitWord>> = {
  proven: 'proven',
  'observed clean': 'observedClean',
  unknown: 'unknown',
  stale: 'incomplete',
  disagreed: 'aborted',
}

/** What may be said about what is stored, without writing anything. */
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
    ...{ target, established: establishedText(target, asked), ...counted, ...undecodableIn(facts) },
    ...(lackedKeys.length === 0 ? {} : { lackedKeys }),
  }
  if (census.kind === 'counted') return { ...base, ...fromCensus(target, census.status) }
  if (target.how === 'unpublished')
    return { ...base, verdict: 'unknown', because: 'its storage version is not published' }
  return { ...base, ...fromThePast(target, facts) }
}

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

type Said = Pick<Evidence, 'verdict' | 'because'>

/**
 * What was read is held against the target itself: the servers count what is stale only where they agreed, and whoever may not
 * see their record does not see that they do not.
 */
function fromCensus(target: MigrationTarget, census: StorageCensusStatus): Said {
  const { total, resourceVersion, agreedVersion } = census
  // The reading is about another agreement than the one that was looked at: which of them stands, a second look tells.
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
  const read = `all ${formatCount(total)} were read at revision ${resourceVersion} and are in ${what}`
  if (census.stale === undefined) return { verdict: 'unknown', because: `${read}, but ${disagreedWhileRead}` }
  if (census.proven && target.fenced) return { verdict: 'proven', because: read }
  return { verdict: 'observed clean', because: `${read}, but writes are not fenced` }
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
  const unread =
    census.kind === 'refused'
      ? `the store may not be read (${census.because})`
      : 'the store cannot be read through this API'
  if (latest === undefined) {
    const none = past.length === 0 ? 'no migration is on record' : 'no migration to this target is on record'
    const other = pastUnseen === undefined ? none : `past migrations could not be read (${pastUnseen})`
    return { verdict: 'unknown', because: `${unread}, and ${other}` }
  }
  const when = latest.at === undefined ? '' : ` at ${latest.at}`
  const by = `${latest.where}${when}`
  if (latest.quarantined > 0) {
    return { verdict: 'stale', because: `${formatCount(latest.quarantined)} were set aside by ${by}` }
  }
  if (!latest.succeeded) return { verdict: 'unknown', because: `${by} did not succeed` }
  if (latest.proof === 'unknown')
    return { verdict: 'unknown', because: `${by} rewrote everything, which proves nothing` }
  // A hash that went and came back is the same hash, and what was written in between is in the other.
  if (target.how === 'discovery') {
    const because = `${by} migrated everything to ${targetText(target)}, but a hash does not show whether it changed in between`
    return { verdict: 'unknown', because }
  }
  return {
    verdict: latest.proof,
    because: `${by} migrated everything to ${targetText(target)}, which has not changed since${keysText(target)}`,
  }
}

/**
 * Only a record tells of keys. Elsewhere: everything is migrated under one key, the servers are given another, nothing that is
 * published changes, and whoever took that for an answer would throw away the key that everything is under.
 */
function keysText({ how }: MigrationTarget): string {
  return how === 'record'
    ? ''
    : '. Encryption keys are not visible here: after a change of keys, migrate again'
}

/**
 * Whether writing would tell more than what is known. What a migration found that is over is about the keys of then, so that
 * whoever asks to find out is not told that again.
 */
export function needsRewrite({ verdict, census }: Evidence): boolean {
  if (verdict === 'unknown') return true
  return census === undefined && (verdict === 'observed clean' || verdict === 'stale')
}
