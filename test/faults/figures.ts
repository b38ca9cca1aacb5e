import type { RoundReport } from './run-round.ts'

/** The figures of a run. */
export interface Figures {
  rounds: number
  minutes: number
  keys: number
  operations: number
  acknowledged: number
  unknownOutcomes: number
  refused: number
  watchEvents: number
  watchesResumed: number
  watchesRelisted: number
  undecidedKeys: number
  readonly faults: Record<string, number>
  readonly problems: string[]
}

export const noFigures = (): Figures => ({
  ...{ rounds: 0, minutes: 0, keys: 0, operations: 0, acknowledged: 0, unknownOutcomes: 0, refused: 0 },
  ...{ watchEvents: 0, watchesResumed: 0, watchesRelisted: 0, undecidedKeys: 0 },
  ...{ faults: {}, problems: [] },
})

export function addRound(figures: Figures, report: RoundReport): void {
  figures.rounds++
  figures.keys += report.keys
  figures.operations += report.operations
  figures.acknowledged += report.acknowledged
  figures.unknownOutcomes += report.unknown
  figures.refused += report.refused
  figures.watchEvents += report.events
  figures.watchesResumed += report.resumed
  figures.watchesRelisted += report.relisted
  figures.undecidedKeys += report.undecided.length
  figures.problems.push(...report.problems)
  for (const [kind, count] of Object.entries(report.faults))
    figures.faults[kind] = (figures.faults[kind] ?? 0) + count
}

/** A key whose history was too large to decide may have lost something: then nothing is claimed. */
export function exitCodeOf({ problems, undecidedKeys }: Pick<Figures, 'problems' | 'undecidedKeys'>): number {
  if (problems.length > 0) return 1
  return undecidedKeys > 0 ? 3 : 0
}

function verdictOf(figures: Figures): string {
  const code = exitCodeOf(figures)
  if (code === 1) return `${figures.problems.length} PROBLEMS`
  return code === 0
    ? 'nothing was lost'
    : 'NOT DECIDED: nothing was seen to be lost, and some histories were too large to check'
}

export function renderFigures(figures: Figures): string {
  const faults = Object.entries(figures.faults).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return [
    ...faults.map(([kind, count]) => `  ${kind.padEnd(26)}${String(count).padStart(6)}`),
    `${figures.rounds} rounds in ${figures.minutes.toFixed(1)} minutes: ${figures.operations} operations on ${figures.keys} keys ` +
      `(${figures.acknowledged} acknowledged, ${figures.refused} refused, ${figures.unknownOutcomes} of unknown outcome)`,
    `${figures.watchEvents} watch events, ${figures.watchesResumed} watches opened or resumed, ${figures.watchesRelisted} listed again after 410`,
    ...(figures.undecidedKeys > 0
      ? [`${figures.undecidedKeys} keys were not decided: too many open writes`]
      : []),
    verdictOf(figures),
  ].join('\n')
}
