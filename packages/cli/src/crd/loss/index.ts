export type { FieldDifference } from '@strata/insight'
export { compareReturned, type HiddenField, type Loss, type LossJudge, lossJudge } from './decide-loss.ts'
