import { type MigrationTarget, targetText } from '../target/target.ts'
import type { PassEnd } from './halt.ts'
import { rewrittenIn, type Tally } from './tally.ts'

/** How certain it is what is stored now. */
export type Proof =
  /** Nothing in another encoding is stored: no write could have been committed otherwise. */
  | 'proven'
  /** A second pass found nothing to rewrite. */
  | 'observed clean'
  | 'unknown'

export type Outcome =
  | 'succeeded'
  /** All others were rewritten; some could not be, or something still writes otherwise. */
  | 'incomplete'
  /** The target changed. */
  | 'aborted'
  /** It could not continue. */
  | 'failed'
  | 'paused'
  | 'cancelled'
  /** A dry run: nothing was written. */
  | 'rehearsed'

export interface Conclusion {
  readonly outcome: Outcome
  readonly proof: Proof
  readonly because: string
}

/** Whether another full pass has to follow: without a fence, a pass that rewrites nothing is the evidence. */
export function needsAnotherPass(
  target: MigrationTarget,
  finished: readonly Tally[],
  {
    dryRun,
    mostPasses,
    isPart = false,
  }: { readonly dryRun: boolean; readonly mostPasses: number; readonly isPart?: boolean },
): boolean {
  if (dryRun || isPart || target.fenced || target.how === 'unpublished') return finished.length === 0
  return finished.length < 2 || (!isClean(finished) && finished.length < mostPasses)
}

/** The last pass, which was not the first, rewrote nothing. */
function isClean(finished: readonly Tally[]): boolean {
  const last = finished.at(-1)
  return finished.length >= 2 && last !== undefined && rewrittenIn(last) === 0
}

export interface Facts {
  readonly end: PassEnd
  /** The target was the same when it was read after the last write. */
  readonly stands: boolean
  readonly target: MigrationTarget
  readonly finished: readonly Tally[]
  readonly quarantined: number
  readonly dryRun: boolean
  /** The census after the last write, if servers offer it. */
  readonly census?: Census | undefined
  /** Servers rewrote some objects in batches next to the data, or may have. */
  readonly byServers?: boolean
  /** Only some objects were visited, as the user wished. */
  readonly isPart?: boolean
}

interface Census {
  readonly stale?: number
  readonly unreadable: number
  readonly proven: boolean
  readonly writeKey?: string
}

/**
 * Whether only a census can prove the result, and there is none. A batch finds stale objects in the watch cache of one server.
 * Only a census of the store, or a write of each object through the API, proves that it found all.
 */
export function lacksCensus({
  target,
  byServers = false,
  census,
}: Pick<Facts, 'target' | 'byServers' | 'census'>): boolean {
  return target.fenced && byServers && census?.proven !== true
}

const objectsText = (count: number): string => (count === 1 ? '1 object' : `${count} objects`)

/** The result of a migration. It never claims more than was seen, and is no success while an object is quarantined. */
export function decideResult(facts: Facts): Conclusion {
  const { end, stands, target, finished, quarantined, dryRun, census, isPart = false } = facts
  const unknown = (outcome: Outcome, because: string): Conclusion => ({ outcome, proof: 'unknown', because })
  if (end.kind === 'aborted' || end.kind === 'failed') return unknown(end.kind, end.because)
  if (end.kind !== 'finished') return unknown(end.kind, `the migration was ${end.kind}`)
  if (dryRun) {
    const refused = quarantined === 0 ? 'no object' : objectsText(quarantined)
    return unknown('rehearsed', `${refused} would be refused; nothing was written`)
  }
  if (!stands) return unknown('failed', 'the target could not be confirmed after the last write')
  if (quarantined > 0) return unknown('incomplete', `${objectsText(quarantined)} could not be rewritten`)
  if (isPart) return unknown('succeeded', 'the selected objects were rewritten; the others were not visited')
  const what = targetText(target)
  const otherwise = census ? (census.stale ?? 0) + census.unreadable : 0
  if (otherwise > 0)
    return unknown(
      'incomplete',
      `${objectsText(otherwise)} ${otherwise === 1 ? 'is' : 'are'} not stored in ${what}`,
    )
  if (lacksCensus(facts)) return unknown('succeeded', 'the stored objects could not be counted')
  if (target.fenced && census?.proven) {
    const under = census.writeKey === undefined ? '' : `, under ${census.writeKey}`
    const because = `every stored object was read, and is in ${what}${under}`
    return { outcome: 'succeeded', proof: 'proven', because }
  }
  if (target.fenced) {
    return { outcome: 'succeeded', proof: 'proven', because: `everything is stored in ${what}` }
  }
  if (target.how === 'unpublished') return unknown('succeeded', 'every object was rewritten once')
  if (!isClean(finished)) return unclean(finished)
  const because = `a pass over everything found nothing that is not in ${what}`
  return { outcome: 'succeeded', proof: 'observed clean', because }
}

/**
 * No pass was clean. An object that the last pass certainly rewrote was written in another encoding after the pass before.
 * If it is unknown whether any was, because clients write an object all the time or answers are lost, each pass rewrote
 * everything: that is no failure, and no evidence.
 */
function unclean(finished: readonly Tally[]): Conclusion {
  const last = finished.at(-1)
  const perhaps = last?.perhapsRewritten ?? 0
  if (last === undefined || finished.length < 2 || perhaps === 0 || rewrittenIn(last) > perhaps) {
    return { outcome: 'incomplete', proof: 'unknown', because: 'objects in another encoding keep coming' }
  }
  const because = `everything was rewritten, but the encoding in which the last pass found ${objectsText(perhaps)} is unknown`
  return { outcome: 'succeeded', proof: 'unknown', because }
}
