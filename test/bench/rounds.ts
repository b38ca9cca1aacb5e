import { nodeClock } from '@strata/world/node'
import { type Contestant, inParallel, type Work } from './contestant.ts'
import { type Estimate, estimate } from './statistics.ts'
import type { Workload } from './workloads.ts'

export interface Score {
  readonly contestant: string
  /** Of what the workload counts. */
  readonly perSecond: number
  /** Processor time of the server for one of them; not known where only answers are seen. */
  readonly processorMicros: number | undefined
  /** How many times as fast as each contestant before it; round by round, side by side. */
  readonly ratios: readonly { readonly to: string; readonly times: Estimate }[]
}

export interface Result {
  readonly workload: Workload
  readonly scores: readonly Score[]
  /** Who was left out, and why. */
  readonly skipped: readonly { readonly contestant: string; readonly why: string }[]
}

const warmUpRounds = 3

/** Everybody does the same work in turn, round after round, in an order that rotates: what slows the machine slows all. */
export async function measure(
  workload: Workload,
  contestants: readonly Contestant[],
  rounds: number,
): Promise<Result> {
  const able = contestants.flatMap((contestant): Lane[] => {
    const work = contestant.work[workload.name]
    return typeof work === 'string' ? [] : [{ contestant, work, laps: [] }]
  })
  // The first rounds pay for compilation and new connections.
  for (let round = 0; round < warmUpRounds; round++) {
    for (const { contestant, work } of able) await lap(workload, contestant, work)
  }
  for (let round = 0; round < rounds; round++) {
    const shift = round % able.length
    for (const { contestant, work, laps } of [...able.slice(shift), ...able.slice(0, shift)]) {
      laps.push(await lap(workload, contestant, work))
    }
  }
  return {
    workload,
    scores: able.map((each, index) => score(each, able.slice(0, index))),
    skipped: contestants.flatMap(({ name, work }) => {
      const why = work[workload.name]
      return typeof why === 'string' ? [{ contestant: name, why }] : []
    }),
  }
}

interface Lane {
  readonly contestant: Contestant
  readonly work: Work
  readonly laps: Lap[]
}

interface Lap {
  readonly perSecond: number
  readonly yielded: number
  readonly processorMs: number | undefined
}

async function lap(workload: Workload, contestant: Contestant, work: Work): Promise<Lap> {
  const yielded = workload.count * workload.yields
  const processorStartMs = contestant.processorMs?.()
  const startMs = nodeClock.monotonicMs()
  await inParallel(workload, work)
  const perSecond = (1000 * yielded) / (nodeClock.monotonicMs() - startMs)
  const processorMs = contestant.processorMs && contestant.processorMs() - (processorStartMs ?? 0)
  return { perSecond, yielded, processorMs }
}

function score({ contestant, laps }: Lane, others: readonly Lane[]): Score {
  return {
    contestant: contestant.name,
    perSecond: estimate(laps.map(({ perSecond }) => perSecond)).median,
    processorMicros: processorMicros(laps),
    ratios: others.map((other) => ({ to: other.contestant.name, times: ratio(laps, other.laps) })),
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
