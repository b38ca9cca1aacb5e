export type { FieldDifference } from './compare-values.ts'
export { type ComparedObject, type HiddenField, type Loss, type LossJudge, lossJudge } from './decide-loss.ts'
