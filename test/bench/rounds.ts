import { shuffled } from '@strata/world'
import { createNodeRandom, nodeClock } from '@strata/world/node'
import { type Contestant, inParallel, type Work } from './contestant.ts'
import { type Estimate, estimate } from './statistics.ts'
import type { RaceWorkload, Workload } from './workloads.ts'

export interface Score {
  readonly contestant: string
  /** The rate of whatever the workload counts. */
  readonly perSecond: number
  /** Processor time of the server for one of them; not known where only answers are seen. */
  readonly processorMicros: number | undefined
  /** How many times as fast as each contestant before it; round by round, side by side. */
  readonly ratios: readonly { readonly to: string; readonly times: Estimate }[]
}

export interface Result {
  readonly workload: RaceWorkload
  readonly scores: readonly Score[]
  /** The contestants that were left out, and why. */
  readonly skipped: readonly { readonly contestant: string; readonly why: string }[]
}

const warmUpRounds = 3

/** Those who can do the work do it; of the others it is said why they cannot. */
export async function measure(
  workload: Workload,
  contestants: readonly Contestant[],
  rounds: number,
): Promise<Result> {
  const able: Runner[] = []
  const skipped: { contestant: string; why: string }[] = []
  for (const contestant of contestants) {
    const work = contestant.work[workload.name]
    if (typeof work === 'string') skipped.push({ contestant: contestant.name, why: work })
    else able.push({ ...contestant, work })
  }
  return { ...(await race(workload, able, rounds)), skipped }
}

/**
 * Everybody does the same work in turn, round after round: what slows the machine slows all. In another order each time,
 * drawn by lot: in one that only rotates everybody always follows the same other, and inherits what that one has left to
 * the disk and the caches.
 */
export async function race(
  workload: RaceWorkload,
  runners: readonly Runner[],
  rounds: number,
): Promise<Result> {
  const random = createNodeRandom()
  const lanes = runners.map((runner): Lane => ({ runner, laps: [] }))
  // The first rounds pay for compilation and new connections.
  for (let round = 0; round < warmUpRounds; round++) {
    for (const { runner } of lanes) await lap(workload, runner)
  }
  for (let round = 0; round < rounds; round++) {
    for (const { runner, laps } of shuffled(lanes, random)) laps.push(await lap(workload, runner))
  }
  return { workload, scores: lanes.map((each, index) => score(each, lanes.slice(0, index))), skipped: [] }
}

/** Someone who does one kind of work. Several may share a server, for only one of them works at a time. */
export type Runner = Pick<Contestant, 'name' | 'processorMs'> & {
  readonly work: Work
  /** Runs before each round, outside the measured time. */
  readonly prepare?: () => Promise<unknown>
  /** How many units one call counts for, if it differs from the others. */
  readonly yields?: number
}

interface Lane {
  readonly runner: Runner
  readonly laps: Lap[]
}

interface Lap {
  readonly perSecond: number
  readonly yielded: number
  readonly processorMs: number | undefined
}

async function lap(workload: RaceWorkload, runner: Runner): Promise<Lap> {
  const yielded = workload.count * (runner.yields ?? workload.yields)
  await runner.prepare?.()
  const processorStartMs = runner.processorMs?.()
  const startMs = nodeClock.monotonicMs()
  await inParallel(workload, runner.work)
  const perSecond = (1000 * yielded) / (nodeClock.monotonicMs() - startMs)
  const processorMs = runner.processorMs && runner.processorMs() - (processorStartMs ?? 0)
  return { perSecond, yielded, processorMs }
}

function score({ runner, laps }: Lane, others: readonly Lane[]): Score {
  return {
    contestant: runner.name,
    perSecond: estimate(laps.map(({ perSecond }) => perSecond)).median,
    processorMicros: processorMicros(laps),
    ratios: others.map((other) => ({ to: other.runner.name, times: ratio(laps, other.laps) })),
  }
}

function ratio(laps: readonly Lap[], others: readonly Lap[]): Estimate {
  return estimate(laps.map(({ perSecond }, round) => perSecond / (others[round]?.perSecond ?? Number.NaN)))
}

/** Summed over the rounds: one round is short against the hundredths of a second in which it is counted. */
function processorMicros(laps: readonly Lap[]): number | undefined {
  let processorMs = 0
  let yielded = 0
  for (const each of laps) {
    if (each.processorMs === undefined) return undefined
    processorMs += each.processorMs
    yielded += each.yielded
  }
  return (1000 * processorMs) / yielded
}
