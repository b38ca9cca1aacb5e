import type { StepResult } from '../result/rehearsal-result.ts'
import { isWorse } from './decide-verdict.ts'

/** The steps of another play that became unsafe in it, and were better so far. */
export const findWorse = (
  soFar: readonly StepResult[],
  played: readonly StepResult[],
): readonly StepResult[] =>
  played.filter(
    ({ verdict }, index) => verdict === 'unsafe' && isWorse(verdict, soFar[index]?.verdict ?? 'safe'),
  )

/** The verdict of a step is that of its worst play; its reasons come after those of the path itself. */
export const withWorse = (
  soFar: readonly StepResult[],
  worse: readonly StepResult[],
): readonly StepResult[] =>
  soFar.map((each) => {
    const found = worse.find(({ step }) => step === each.step)
    if (!found) return each
    const { verdict, reasons } = found
    const added = reasons.filter(({ level }) => level !== 'note')
    return { ...each, verdict, passed: verdict === each.expected, reasons: [...each.reasons, ...added] }
  })

/** The step that the story is about: the first one that is not as expected, else the first one. */
export const stepToTell = (worse: readonly StepResult[]): StepResult | undefined =>
  worse.find(({ passed }) => !passed) ?? worse[0]
