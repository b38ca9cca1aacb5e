import type { StepVerdict } from '../path/rehearsal-form.ts'
import type { Reason } from '../result/rehearsal-result.ts'

const fromBestToWorst: readonly StepVerdict[] = ['safe', 'could not see', 'refused', 'unsafe']

export const isWorse = (one: StepVerdict, other: StepVerdict): boolean =>
  fromBestToWorst.indexOf(one) > fromBestToWorst.indexOf(other)

export const worstVerdict = (verdicts: readonly StepVerdict[]): StepVerdict =>
  verdicts.reduce((worst, each) => (isWorse(each, worst) ? each : worst), 'safe')

/** The verdict that the reasons lead to. */
export const decideVerdict = (reasons: readonly Reason[]): StepVerdict =>
  worstVerdict(reasons.map(({ level }) => (level === 'note' ? 'safe' : level)))
