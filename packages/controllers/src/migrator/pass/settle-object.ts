import { compareResourceVersions, mayHaveActed, retryAfterMs } from '@strata/client'
import { deadline, type World } from '@strata/world'
import type { Settlement } from '../progress/tally.ts'
import { classifyError, type Refusal, type Verdict } from './classify-error.ts'
import { type ListedObject, whyText } from './page-source.ts'
import type { Rewriter, Way } from './rewriter.ts'

/** One object on its way: as it was listed, or read again since. */
export interface Candidate {
  readonly object: ListedObject
  readonly way: Way
  /** How many conflicts there were. */
  readonly rereads: number
  /** Why the first way was refused. It is the reason of the quarantine if no other way works. */
  readonly refused?: { readonly reason: Refusal; readonly message: string }
  /** The state of the object when we sent a write whose outcome is unknown. */
  readonly unheard?: { readonly resourceVersion: string | undefined }
  /** A write met a conflict, and the object could not be read since: the next try reads first. */
  readonly conflict?: { readonly error: unknown }
}

/** The outcome of one try. */
export type Step =
  | { readonly kind: 'settled'; readonly as: Exclude<Settlement, 'quarantined'> }
  /** Try again at once, in another way or in a newer state. */
  | { readonly kind: 'go on'; readonly candidate: Candidate }
  | {
      readonly kind: 'failed'
      /** The candidate for the next try. */
      readonly candidate: Candidate
      readonly reason: Refusal
      readonly message: string
      readonly isThrottled: boolean
      readonly retryAfterMs: number
      readonly inTheEnd: 'quarantine' | 'abort'
    }
  | { readonly kind: 'refused'; readonly reason: Refusal; readonly message: string }

export interface SettleOptions {
  readonly world: Pick<World, 'clock'>
  readonly rewriter: Rewriter
  readonly dryRun: boolean
  readonly requestTimeoutMs: number
  /** The record guards every write, so objects that other clients write are in the target's encoding. */
  readonly fenced: boolean
  /** Objects with a newer resourceVersion are current. Set only for a fenced target. */
  readonly currentAfter: string | undefined
}

/** After this many rereads, an object that clients write all the time is rewritten without a precondition. */
const mostRereads = 5

/** Tries to rewrite one object, once. Throws only what is not about the object. */
export async function settleObject(
  options: SettleOptions,
  candidate: Candidate,
  signal: AbortSignal,
): Promise<Step> {
  const { world, currentAfter, requestTimeoutMs } = options
  if (isNewer(candidate.object, currentAfter)) return { kind: 'settled', as: foundCurrent(candidate) }
  const limit = deadline(world.clock, requestTimeoutMs, signal)
  try {
    const { conflict, ...rest } = candidate
    const following: Following = { options, signal, limit: limit.signal }
    if (conflict) return await tryToFollow(following, rest, { do: 'read again' }, conflict.error)
    try {
      return await attempt(options, candidate, limit.signal)
    } catch (error) {
      if (signal.aborted) throw error
      const verdict = classifyError(error, options.rewriter.address, candidate.object)
      const tried = mayHaveActed(error) ? withUnheard(candidate) : candidate
      return await tryToFollow(following, tried, verdict, error)
    }
  } finally {
    limit.dispose()
  }
}

/** For a second read: `signal` ends the run, `limit` ends this try. The try may be over while the run goes on. */
interface Following {
  readonly options: SettleOptions
  readonly signal: AbortSignal
  readonly limit: AbortSignal
}

function isNewer({ resourceVersion }: ListedObject, than: string | undefined): boolean {
  if (than === undefined || resourceVersion === undefined) return false
  return (compareResourceVersions(resourceVersion, than) ?? -1) > 0
}

/** Keeps the first unanswered write: every newer state may be ours. */
function withUnheard(candidate: Candidate): Candidate {
  const { resourceVersion } = candidate.object
  return { unheard: { resourceVersion }, ...candidate }
}

/** How an object that is current settles: an earlier write of ours without an answer may have rewritten it. */
function foundCurrent(
  { object, unheard }: Candidate,
  resourceVersion = object.resourceVersion,
): 'alreadyCurrent' | 'perhapsRewritten' {
  if (unheard === undefined) return 'alreadyCurrent'
  // It has not changed since: our write was not carried out either.
  const isUntouched = resourceVersion !== undefined && resourceVersion === unheard.resourceVersion
  return isUntouched ? 'alreadyCurrent' : 'perhapsRewritten'
}

/** An object that is gone may have been stale, and rewritten by our write without an answer. Then this pass is not clean. */
function foundGone({ fenced }: SettleOptions, { unheard }: Candidate): Step {
  return { kind: 'settled', as: unheard && !fenced ? 'perhapsRewritten' : 'gone' }
}

async function attempt(
  { rewriter, dryRun, fenced }: SettleOptions,
  candidate: Candidate,
  signal: AbortSignal,
): Promise<Step> {
  const { object, way } = candidate
  const rewritten = await rewriter.rewrite(object, way, signal)
  if (dryRun) return { kind: 'settled', as: 'rehearsed' }
  switch (rewritten.kind) {
    case 'moved':
      return { kind: 'settled', as: 'migrated' }
    case 'stood':
      return { kind: 'settled', as: foundCurrent(candidate, rewritten.resourceVersion) }
    case 'unknown':
      // With a fence no proof depends on it, and most objects that a batch left were stale.
      return { kind: 'settled', as: fenced ? 'migrated' : 'perhapsRewritten' }
  }
}

/**
 * The second read may fail, too. That says nothing new about the object, and counts as throttled if the server asks to slow down.
 */
async function tryToFollow(
  { options, signal, limit }: Following,
  candidate: Candidate,
  verdict: Verdict,
  error: unknown,
): Promise<Step> {
  try {
    return await follow(options, candidate, verdict, error, limit)
  } catch (second) {
    if (signal.aborted) throw second
    const { do: next } = classifyError(second, options.rewriter.address, candidate.object)
    // Otherwise: it is sent once more in the state that was refused, and has to get through twice in a row to be settled.
    const left = verdict.do === 'read again' ? { ...candidate, conflict: { error } } : candidate
    return { ...failed(left, 'Unavailable', second), isThrottled: next === 'slow down' }
  }
}

async function follow(
  options: SettleOptions,
  candidate: Candidate,
  verdict: Verdict,
  error: unknown,
  signal: AbortSignal,
): Promise<Step> {
  const { rewriter } = options
  const { object } = candidate
  switch (verdict.do) {
    case 'forget':
      // For a custom resource without a status subresource, servers answer the same 404 as if the object were gone.
      if (candidate.way === 'status' && (await rewriter.look(object, signal)))
        return refused(candidate, 'Unsupported', error)
      return foundGone(options, candidate)
    case 'quarantine':
      return refused(candidate, verdict.reason, error)
    case 'slow down':
      return { ...failed(candidate, verdict.reason, error), isThrottled: true }
    case 'retry':
      // A resource without a status subresource has no such path.
      if (verdict.reason === 'NotServed' && candidate.way === 'status')
        return refused(candidate, 'Unsupported', error)
      return { ...failed(candidate, verdict.reason, error), inTheEnd: verdict.inTheEnd }
    case 'fall back':
      return fallBack(candidate, verdict.reason, error)
    case 'look':
      return (await rewriter.look(object, signal))
        ? failed(candidate, verdict.reason, error)
        : foundGone(options, candidate)
    case 'read again': {
      const now = await rewriter.look(object, signal)
      if (!now) return foundGone(options, candidate)
      // The conflict was about something else, a quota for example.
      if (now.resourceVersion === object.resourceVersion) return failed(candidate, 'Unavailable', error)
      // A conflict is proof only if the winner was bound to the same target (docs/reference/upstream-behaviour.md, Q6).
      // An object that a batch left has no resourceVersion: its conflict may have another cause, and the object may
      // still be stale.
      if (options.fenced && object.resourceVersion !== undefined) {
        return { kind: 'settled', as: candidate.unheard ? 'perhapsRewritten' : 'overtaken' }
      }
      return { kind: 'go on', candidate: readAgain(candidate, now) }
    }
  }
}

function readAgain(candidate: Candidate, now: ListedObject): Candidate {
  const rereads = candidate.rereads + 1
  const { resourceVersion: _, ...anyState } = now
  return { ...candidate, rereads, object: rereads > mostRereads ? anyState : now }
}

function fallBack(candidate: Candidate, reason: Refusal, error: unknown): Step {
  const next = nextWay(candidate.way, reason)
  if (next === undefined) return refused(candidate, reason, error)
  const first = candidate.refused ?? { reason, message: whyText(error) }
  return { kind: 'go on', candidate: { ...candidate, way: next, refused: first } }
}

/** An object that is invalid as a patch is invalid as an update too. */
function nextWay(way: Way, reason: Refusal): Way | undefined {
  if (way === 'status') return undefined
  return way === 'patch' && reason !== 'Invalid' ? 'update' : 'status'
}

function refused(candidate: Candidate, reason: Refusal, error: unknown): Step {
  return { kind: 'refused', ...(candidate.refused ?? { reason, message: whyText(error) }) }
}

function failed(candidate: Candidate, reason: Refusal, error: unknown): Step & { readonly kind: 'failed' } {
  return {
    kind: 'failed',
    candidate,
    reason,
    message: whyText(error),
    isThrottled: false,
    retryAfterMs: retryAfterMs(error),
    inTheEnd: 'quarantine',
  }
}
