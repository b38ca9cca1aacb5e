/** How long a test file took, and how busy it kept the processors meanwhile. */
export interface FileTiming {
  readonly path: string
  readonly wallMs: number
  readonly cpuMs: number
}

const SHOWN = 12

/** Where the time of a run went: the files that took longest, and those that kept the processors busiest. */
export function formatSlowest(timings: readonly FileTiming[], shown = SHOWN): string {
  const total = timings.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
  return [
    `slowest of ${timings.length} files:\n`,
    ...longest(timings, ({ wallMs }) => wallMs, shown).map(formatTiming),
    `busiest, of ${formatSeconds(total)} of processor time in all:\n`,
    ...longest(timings, ({ cpuMs }) => cpuMs, shown).map(formatTiming),
  ].join('')
}

const longest = (
  timings: readonly FileTiming[],
  measure: (timing: FileTiming) => number,
  shown: number,
): readonly FileTiming[] => timings.toSorted((a, b) => measure(b) - measure(a)).slice(0, shown)

const formatTiming = ({ path, wallMs, cpuMs }: FileTiming): string =>
  `${formatSeconds(wallMs).padStart(10)}, processor ${formatSeconds(cpuMs).padStart(8)}  ${path}\n`

const formatSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
