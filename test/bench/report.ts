import type { DefinitionsReport } from './custom/bench-definitions.ts'
import type { Result, Score } from './rounds.ts'
import type { Estimate } from './statistics.ts'

/** Measured once per server and not in rounds. */
export interface Footprint {
  readonly contestant: string
  readonly startMs: Estimate | undefined
  readonly idleBytes: number
  readonly filledBytes: number
  readonly objects: number
}

export interface StoreReport {
  readonly store: string
  readonly footprints: readonly Footprint[]
  readonly results: readonly Result[]
  readonly definitions: readonly DefinitionsReport[]
}

const whole = (value: number): string => Math.round(value).toLocaleString('en')
const megabytes = (bytes: number): string => `${whole(bytes / 1e6)} MB`

export function resultLines({ workload, scores, skipped }: Result): string[] {
  return [
    workload.title,
    ...scores.map((score) => `  ${score.contestant.padEnd(16)} ${scoreText(score)}`),
    ...skipped.map(({ contestant, why }) => `  ${contestant.padEnd(16)} not measured: ${why}`),
  ]
}

function scoreText({ perSecond, processorMicros, ratios }: Score): string {
  // Slow operations are shown as a duration.
  const speed = perSecond < 20 ? `${whole(1000 / perSecond)} ms each` : `${whole(perSecond)} /s`
  const processor = processorMicros === undefined ? '' : `${precise(processorMicros)} µs`
  const compared = ratios.map(({ to, times }) => `${interval(times)} × ${to}`).join(', ')
  return `${speed.padStart(14)} ${processor.padStart(12)}   ${compared}`
}

const precise = (value: number): string => (value < 10 ? value.toFixed(1) : whole(value))

function interval({ median, low, high }: Estimate): string {
  return `${median.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}]`
}

export function footprintLines({
  contestant,
  startMs,
  idleBytes,
  filledBytes,
  objects,
}: Footprint): string[] {
  const each = (filledBytes - idleBytes) / objects
  return [
    `${contestant}: memory ${megabytes(idleBytes)} idle, ${megabytes(filledBytes)} with ${whole(objects)} objects (${whole(each)} bytes each)`,
    ...(startMs
      ? [
          `${contestant}: start to ready ${whole(startMs.median)} ms [${whole(startMs.low)}, ${whole(startMs.high)}]`,
        ]
      : []),
  ]
}

export function definitionsLines(report: DefinitionsReport): string[] {
  const { contestant, count, sentBytes, installMs, silenceMs, memoryBytes, times } = report
  const { before, after, afterRestart } = memoryBytes
  return [
    `${contestant}: ${whole(count)} definitions, ${megabytes(sentBytes)}, installed and served after ${(installMs / 1000).toFixed(1)} s`,
    `  memory ${megabytes(before)} without, ${megabytes(after)} with them, ${megabytes(afterRestart)} after a restart`,
    `  longest wait for /livez ${whole(silenceMs.after)} ms while they were installed, ${whole(silenceMs.before)} ms before`,
    ...times.map((each) => `  ${each.what.padEnd(48)} ${changeText(each)}`),
  ]
}

function changeText({ before, after }: DefinitionsReport['times'][number]): string {
  const ms = (time: Estimate): string =>
    `${precise(time.median)} [${precise(time.low)}, ${precise(time.high)}] ms`
  return `${ms(before)} without, ${ms(after)} with: ${(after.median / before.median).toFixed(2)} ×`
}
