import type { Reached } from './ledger.ts'
import { rewrittenIn, settledOf, type Tally } from './tally.ts'

/** How far a migration is, for people and for status. */
export interface Progress {
  /** Which pass over the objects this is, from 1 on. */
  readonly pass: number
  /** Unknown while no list has said how many there are. */
  readonly total?: number
  /** Objects of this pass that need no more work. */
  readonly settled: number
  /** Rewritten in all passes. */
  readonly migrated: number
  readonly alreadyCurrent: number
  readonly overtaken: number
  readonly gone: number
  readonly quarantined: number
  /** Rounded down: 100 means all objects. */
  readonly percent?: number
  readonly ratePerSecond: number
  readonly etaSeconds?: number
  readonly parallelism: number
}

export interface Sample {
  readonly atMs: number
  readonly settled: number
}

/** Long enough that one slow page does not make the numbers jump. */
const windowMs = 30_000

/** The samples that a rate is computed from, with one more. */
export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  return [...samples.filter(({ atMs }) => sample.atMs - atMs <= windowMs), sample]
}

function rateOf(samples: readonly Sample[]): number {
  const first = samples[0]
  const last = samples.at(-1)
  if (!first || !last || last.atMs <= first.atMs) return 0
  return Math.max(0, (1000 * (last.settled - first.settled)) / (last.atMs - first.atMs))
}

export interface ProgressFacts {
  /** One for each pass so far; the last one is the current pass. */
  readonly tallies: readonly Tally[]
  /** Progress of the current pass that was reported before; some of its objects may be visited again. */
  readonly reached?: Reached
  readonly quarantined: number
  readonly total: number | undefined
  readonly samples: readonly Sample[]
  readonly parallelism: number
}

/** Objects come and go: the total is what the newest list said, and never less than what has been settled. */
export function computeProgress(facts: ProgressFacts): Progress {
  const { tallies, quarantined, samples, parallelism } = facts
  const first = tallies[0]
  const last = tallies.at(-1)
  const isFirst = tallies.length === 1
  const looked = last ? settledOf(last) : 0
  const total = facts.total === undefined ? undefined : Math.max(facts.total, looked)
  // Progress that was reported before counts up to one less than all: 100 percent needs a pass that has visited all objects.
  const most = total === undefined ? Number.POSITIVE_INFINITY : total - 1
  const settled = Math.max(looked, Math.min(facts.reached?.settled ?? 0, most))
  const ratePerSecond = round(rateOf(samples))
  const left = total === undefined ? undefined : total - settled
  return {
    pass: Math.max(1, tallies.length),
    ...(total === undefined ? {} : { total, percent: percentOf(settled, total) }),
    settled,
    migrated: rewrittenInAll(tallies),
    alreadyCurrent: Math.max(first?.alreadyCurrent ?? 0, isFirst ? (facts.reached?.alreadyCurrent ?? 0) : 0),
    overtaken: first?.overtaken ?? 0,
    gone: first?.gone ?? 0,
    quarantined,
    ratePerSecond,
    ...(left === undefined || (left > 0 && ratePerSecond === 0)
      ? {}
      : { etaSeconds: left === 0 ? 0 : Math.ceil(left / ratePerSecond) }),
    parallelism: Math.floor(parallelism),
  }
}

/** Objects that may have been rewritten count once: each pass meets them again. */
function rewrittenInAll(tallies: readonly Tally[]): number {
  const all = tallies.reduce((sum, tally) => sum + rewrittenIn(tally), 0)
  return all - tallies.slice(1).reduce((sum, { perhapsRewritten }) => sum + perhapsRewritten, 0)
}

function percentOf(settled: number, total: number): number {
  return total === 0 ? 100 : Math.floor((100 * settled) / total)
}

const round = (value: number): number => Math.round(value * 10) / 10
