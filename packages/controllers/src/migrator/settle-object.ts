import { compareResourceVersions, retryAfterMs } from '@strata/client'
import { deadline, type World } from '@strata/world'
import { classifyError, type Refusal, type Verdict } from './classify-error.ts'
import type { ListedObject } from './page-source.ts'
import type { Rewriter, Way } from './rewriter.ts'
import type { Settlement } from './tally.ts'

/** One object on its way: as it was listed, or read again since. */
export interface Candidate {
  readonly object: ListedObject
  readonly way: Way
  /** How often somebody else was quicker. */
  readonly rereads: number
  /** Why the first way did not do; that is what the object is named with if no other does. */
  readonly refused?: { readonly reason: Refusal; readonly message: string }
}

/** What one try has come to. */
export type Step =
  | { readonly kind: 'settled'; readonly as: Exclude<Settlement, 'quarantined'> }
  /** At once, in another way or in a newer state. */
  | { readonly kind: 'go on'; readonly candidate: Candidate }
  | {
      readonly kind: 'failed'
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
  /** Every write is guarded by what the target was read from, so that what others write is where we want it. */
  readonly fenced: boolean
  /** Whatever is newer is known to be current; only for a fenced target, and only where it need not be shown. */
  readonly currentAfter: string | undefined
}

/** An object that others write all the time is rewritten in whatever state it is in then. */
const mostRereads = 5

/** Tries to rewrite one object, once. Throws only what is not about the object. */
export async function settleObject(
  options: SettleOptions,
  candidate: Candidate,
  signal: AbortSignal,
): Promise<Step> {
  const { world, currentAfter, requestTimeoutMs } = options
  if (isNewer(candidate.object, currentAfter)) return { kind: 'settled', as: 'alreadyCurrent' }
  const limit = deadline(world.clock, requestTimeoutMs, signal)
  try {
    return await attempt(options, candidate, limit.signal)
  } catch (error) {
    if (signal.aborted) throw error
    const verdict = classifyError(error, options.rewriter.address, candidate.object)
    try {
      return await follow(options, candidate, verdict, error, limit.signal)
    } catch (second) {
      if (signal.aborted) throw second
      // A second look that failed says nothing new about the object.
      classifyError(second, options.rewriter.address, candidate.object)
      return failed('Unavailable', second)
    }
  } finally {
    limit.dispose()
  }
}

function isNewer({ resourceVersion }: ListedObject, than: string | undefined): boolean {
  if (than === undefined || resourceVersion === undefined) return false
  return (compareResourceVersions(resourceVersion, than) ?? -1) > 0
}

async function attempt(
  { rewriter, dryRun }: SettleOptions,
  { object, way, rereads }: Candidate,
  signal: AbortSignal,
): Promise<Step> {
  const rewritten = await rewriter.rewrite(object, way, signal)
  if (dryRun) return { kind: 'settled', as: 'rehearsed' }
  if (rewritten === 'moved') return { kind: 'settled', as: 'migrated' }
  if (rewritten === 'stood') return { kind: 'settled', as: 'alreadyCurrent' }
  return { kind: 'settled', as: rereads > mostRereads ? 'overtaken' : 'migrated' }
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
      return { kind: 'settled', as: 'gone' }
    case 'quarantine':
      return refused(candidate, verdict.reason, error)
    case 'slow down':
      return { ...failed(verdict.reason, error), isThrottled: true }
    case 'retry':
      // A resource without this part of it has no such path.
      if (verdict.reason === 'NotServed' && candidate.way === 'status')
        return refused(candidate, 'Unsupported', error)
      return { ...failed(verdict.reason, error), inTheEnd: verdict.inTheEnd }
    case 'fall back':
      return fallBack(candidate, verdict.reason, error)
    case 'look':
      return (await rewriter.look(object, signal))
        ? failed(verdict.reason, error)
        : { kind: 'settled', as: 'gone' }
    case 'read again': {
      const now = await rewriter.look(object, signal)
      if (!now) return { kind: 'settled', as: 'gone' }
      // The conflict was about something else, a quota for example.
      if (now.resourceVersion === object.resourceVersion) return failed('Unavailable', error)
      // A conflict is proof only where whoever won it was bound to the same target (behaviour.md, Q6).
      if (options.fenced) return { kind: 'settled', as: 'overtaken' }
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
  const first = candidate.refused ?? { reason, message: messageOf(error) }
  return { kind: 'go on', candidate: { ...candidate, way: next, refused: first } }
}

/** What is invalid as a whole stays so when it is sent as a whole. */
function nextWay(way: Way, reason: Refusal): Way | undefined {
  if (way === 'status') return undefined
  return way === 'patch' && reason !== 'Invalid' ? 'update' : 'status'
}

function refused(candidate: Candidate, reason: Refusal, error: unknown): Step {
  return { kind: 'refused', ...(candidate.refused ?? { reason, message: messageOf(error) }) }
}

function failed(reason: Refusal, error: unknown): Step & { readonly kind: 'failed' } {
  return {
    kind: 'failed',
    reason,
    message: messageOf(error),
    isThrottled: false,
    retryAfterMs: retryAfterMs(error),
    inTheEnd: 'quarantine',
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
