export { observeListeners } from './admission-listeners.ts'
export {
  type Claim,
  claimAnnotation,
  claimIn,
  claimRenewedAnnotation,
  claimText,
  releasingAnnotations,
  Stillness,
  wasClaimed,
} from './claim.ts'
export { classifyError, type Refusal, type Verdict } from './classify-error.ts'
export { type ClaimDecision, type ClaimFacts, claimTimes, decideClaim } from './decide-claim.ts'
export { type Conclusion, type Outcome, outcomeOfFailure, type Proof } from './decide-result.ts'
export { decideTarget, type Sight, type TargetObservation } from './decide-target.ts'
export {
  type MigrationLimits,
  type MigrationOptions,
  type MigrationResult,
  migrate,
  migrationLimits,
} from './engine.ts'
export { groupOf } from './group-of.ts'
export type { Control } from './halt.ts'
export { resultWords, resumeOfStatus, statusOfReport } from './migration-status.ts'
export { type ObserveTargetOptions, observeTarget, passesOn } from './observe-target.ts'
export type { Progress } from './progress.ts'
export { annotatedProgress, progressAnnotation } from './progress-annotation.ts'
export type { Quarantine, Quarantined } from './quarantine.ts'
export type { ProgressReport } from './reporter.ts'
export type { ResumePoint } from './resume-point.ts'
export { type Looks, StandingTargets } from './standing-targets.ts'
export {
  type DefinitionState,
  decideMovement,
  type MigrationTarget,
  type Movement,
  sameTarget,
  type TargetDecision,
  type TargetSource,
  targetText,
} from './target.ts'
