import type { StorageCensusStatus } from '@strata/api'
import {
  type MigrationTarget,
  type Proof,
  sameTarget,
  type TargetDecision,
  targetText,
} from '@strata/controllers'
import type { ExitWord } from '../exit-codes.ts'
import { type Asked, establishedText } from './established.ts'
import type { CensusSight } from './observe-census.ts'
import { formatCount } from './shown-progress.ts'

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
  readonly census: CensusSight
  /** The latest first. */
  readonly past: readonly PastMigration[]
  readonly asked: Asked
}

export interface Evidence {
  readonly verdict: Verdict
  readonly because: string
  /** How it is known that all servers write the same. */
  readonly established?: string
  readonly target?: MigrationTarget
  readonly census?: StorageCensusStatus
}

export const verdictExits: Readonly<Record<Verdict, ExitWord>> = {
  proven: 'proven',
  'observed clean': 'observedClean',
  unknown: 'unknown',
  stale: 'incomplete',
  disagreed: 'aborted',
}

/** What may be said about what is stored, without writing anything. */
export function decideEvidence({ target: decision, census, past, asked }: EvidenceFacts): Evidence {
  const counted = census.kind === 'counted' ? { census: census.status } : {}
  if (!decision.agreed) return { verdict: 'disagreed', because: decision.because, ...counted }
  const { target } = decision
  const base = { target, established: establishedText(target, asked), ...counted }
  if (census.kind === 'counted') return { ...base, ...fromCensus(target, census.status) }
  if (target.how === 'unpublished')
    return { ...base, verdict: 'unknown', because: 'nothing is published about it' }
  return { ...base, ...fromThePast(target, past, census) }
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
  const what = target.encodingVersion ?? agreedVersion
  if (what === undefined) return { verdict: 'unknown', because: disagreedWhileRead }
  if (agreedVersion !== undefined && agreedVersion !== what) {
    return {
      verdict: 'disagreed',
      because: `${what} is to be stored, the servers agreed on ${agreedVersion}`,
    }
  }
  const found = staleParts(census, what)
  if (found.length > 0) return { verdict: 'stale', because: found.join(', ') }
  const read = `all ${formatCount(total)} were read at revision ${resourceVersion} and are in ${what}`
  if (census.stale === undefined) return { verdict: 'unknown', because: `${read}, but ${disagreedWhileRead}` }
  if (census.proven && target.fenced) return { verdict: 'proven', because: read }
  return { verdict: 'observed clean', because: `${read}, but no fence keeps others out` }
}

const disagreedWhileRead = 'the servers agreed on nothing when the store was read'

/** In another version, or in the right one under another key than is written with now. */
function staleParts({ total, encodings, stale, unreadable }: StorageCensusStatus, what: string): string[] {
  const others = encodings.filter(({ encodingVersion }) => encodingVersion !== what)
  const inOthers = others.reduce((sum, { count }) => sum + count, 0)
  const underOthers = stale === undefined ? 0 : stale - inOthers
  return [
    ...(inOthers > 0 ? [`${formatCount(inOthers)} of ${formatCount(total)} are not in ${what}`] : []),
    ...(underOthers > 0 ? [`${formatCount(underOthers)} are under another key than is written with`] : []),
    ...(unreadable > 0 ? [`${formatCount(unreadable)} cannot be read`] : []),
  ]
}

function fromThePast(target: MigrationTarget, past: readonly PastMigration[], census: CensusSight): Said {
  const same = past.filter((each) => each.target !== undefined && sameTarget(each.target, target).same)
  const proven = same.find(({ succeeded, proof }) => succeeded && proof === 'proven')
  const latest = proven ?? same[0]
  const unread =
    census.kind === 'refused'
      ? `the store may not be read (${census.because})`
      : 'the store cannot be read through this API'
  if (latest === undefined) {
    const other = past.length === 0 ? 'no migration is on record' : 'no migration to this target is on record'
    return { verdict: 'unknown', because: `${unread}, and ${other}` }
  }
  const when = latest.at === undefined ? '' : ` at ${latest.at}`
  const by = `${latest.where}${when}`
  if (latest.quarantined > 0) {
    return { verdict: 'stale', because: `${formatCount(latest.quarantined)} were set aside by ${by}` }
  }
  if (!latest.succeeded) return { verdict: 'unknown', because: `${by} did not succeed` }
  if (latest.proof === 'unknown')
    return { verdict: 'unknown', because: `${by} rewrote everything, which shows nothing` }
  // A hash that went and came back is the same hash, and what was written in between is in the other.
  if (target.how === 'discovery') {
    const because = `${by} brought everything to ${targetText(target)}, but a hash does not tell whether it was another since`
    return { verdict: 'unknown', because }
  }
  return {
    verdict: latest.proof,
    because: `${by} brought everything to ${targetText(target)}, which has not moved since`,
  }
}
