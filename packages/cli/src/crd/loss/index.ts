export type { FieldDifference } from '@strata/insight'
export { type ComparedObject, type HiddenField, type Loss, type LossJudge, lossJudge } from './decide-loss.ts'
