import { decideFlat, residentAllowance, type Trend, trendOf } from './decide-flat.ts'
import { beatMs, type SoakFigures } from './soak.ts'

const livezLimitMs = 1_000
/** A watch was stuck if it gets a beat this much later than beats are acknowledged. */
const silenceLimitMs = 10_000
/** So many samples of memory say something. */
const samplesForTrend = 20
/** A soak of so many minutes has to have them. */
const minutesForTrend = 10

export interface Judgement {
  readonly held: Trend | undefined
  readonly resident: Trend | undefined
  /** Empty if all is well. */
  readonly problems: readonly string[]
}

/** Checks the figures of a soak. A short one says nothing about memory. */
export function judge(figures: SoakFigures): Judgement {
  const { memory } = figures
  const held = trendOf(memory, ({ heldBytes }) => heldBytes)
  const resident = trendOf(memory, ({ residentBytes }) => residentBytes)
  const problems = [
    ...figures.ended,
    ...figures.crdProblems,
    ...figures.unexpected,
    ...watchProblems(figures),
    ...livezProblems(figures),
    ...loadProblems(figures),
    ...memoryProblems(figures, held, resident),
  ]
  return { held, resident, problems }
}

function watchProblems(figures: SoakFigures): readonly string[] {
  const { stuck, gaps, relists, resumes, events, beats, watches, longestSilenceMs, longestBeatMs } = figures
  const silenceMs = longestSilenceMs - longestBeatMs
  return [
    ...(stuck > 0 ? [`${stuck} watches are stuck`] : []),
    ...(gaps.length > 0 ? [`watches left out beats: ${gaps.slice(0, 5).join(', ')}`] : []),
    ...(silenceMs > silenceLimitMs ? [`a watch was stuck for ${Math.round(silenceMs)} ms`] : []),
    // A watch begins anew when it resumes too late. One that is never resumed never does.
    ...(relists > resumes ? [`watches began anew ${relists} times, and resumed ${resumes} times`] : []),
    ...(events < (beats * watches) / 2
      ? [`${events} events are too few for ${beats} beats and ${watches} watches`]
      : []),
  ]
}

function livezProblems({ livez, minutes }: SoakFigures): readonly string[] {
  const { failures, probes, slowestOfServerMs } = livez
  return [
    ...(failures.length > 0 ? [`/livez failed ${failures.length} times: ${failures[0]}`] : []),
    ...(slowestOfServerMs > livezLimitMs ? [`/livez took ${Math.round(slowestOfServerMs)} ms`] : []),
    ...(probes < minutes * 60 ? [`${probes} probes of /livez are too few for ${minutes} minutes`] : []),
  ]
}

/** A fleet that hardly answers proves nothing by holding its memory. */
function loadProblems({
  beats,
  repeatedBeats,
  minutes,
  operations,
  refused,
}: SoakFigures): readonly string[] {
  const counts = Object.values(operations)
  const answered = counts.reduce((total, each) => total + each, 0)
  return [
    ...(beats < (minutes * 60_000) / beatMs / 2 ? [`${beats} beats are too few for ${minutes} minutes`] : []),
    ...(repeatedBeats > beats / 10 ? [`${repeatedBeats} of ${beats} beats were sent again`] : []),
    ...(counts.length < 8 || answered < minutes * 60
      ? [`${answered} requests of ${counts.length} kinds are too few for ${minutes} minutes`]
      : []),
    ...(refused > answered / 10 ? [`${refused} requests were refused, and ${answered} answered`] : []),
  ]
}

function memoryProblems(
  { memory, minutes }: SoakFigures,
  held: Trend | undefined,
  resident: Trend | undefined,
): readonly string[] {
  if (!held || !resident || memory.length < samplesForTrend) {
    return minutes < minutesForTrend ? [] : [`${memory.length} samples of memory are too few`]
  }
  const measured = ((memory.at(-1)?.atMs ?? 0) - (memory[0]?.atMs ?? 0)) / 60_000
  const perMinute = ({ bytesPerMinute }: Trend): string => `${Math.round(bytesPerMinute / 1024)} KiB a minute`
  return [
    ...(decideFlat(held, measured) ? [] : [`memory grows by ${perMinute(held)}`]),
    ...(decideFlat(resident, measured, residentAllowance)
      ? []
      : [`resident memory grows by ${perMinute(resident)}`]),
  ]
}
