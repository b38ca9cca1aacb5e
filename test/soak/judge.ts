import { decideFlat, type Trend, trendOf } from './decide-flat.ts'
import type { SoakFigures } from './soak.ts'

const livezLimitMs = 1_000
/** So many samples of memory say something. */
const samplesForTrend = 20

export interface Judgement {
  readonly heap: Trend | undefined
  readonly resident: Trend | undefined
  /** Empty if all is well. */
  readonly problems: readonly string[]
}

/** What a soak has shown, held against what is promised. A short one says nothing about memory. */
export function judge(figures: SoakFigures): Judgement {
  const { livez, memory } = figures
  const heap = trendOf(memory, ({ heapBytes }) => heapBytes)
  const resident = trendOf(memory, ({ residentBytes }) => residentBytes)
  const problems = [
    ...figures.ended,
    ...figures.crdProblems,
    ...figures.unexpected,
    ...(figures.stuck > 0 ? [`${figures.stuck} watches are stuck`] : []),
    ...(figures.gaps.length > 0 ? [`watches left out beats: ${figures.gaps.slice(0, 5).join(', ')}`] : []),
    ...(livez.failures.length > 0
      ? [`/livez failed ${livez.failures.length} times: ${livez.failures[0]}`]
      : []),
    // What the probing process itself waited for the machine is not the server's.
    ...(livez.slowestMs - livez.ownDelayMs > livezLimitMs
      ? [`/livez took ${Math.round(livez.slowestMs)} ms`]
      : []),
    ...(heap && memory.length >= samplesForTrend && !decideFlat(heap, minutesOf(figures))
      ? [`memory grows by ${Math.round(heap.bytesPerMinute / 1024)} KiB a minute`]
      : []),
  ]
  return { heap, resident, problems }
}

function minutesOf({ memory }: SoakFigures): number {
  return ((memory.at(-1)?.atMs ?? 0) - (memory[0]?.atMs ?? 0)) / 60_000
}
