export {
  type MigrationLimits,
  type MigrationOptions,
  type MigrationResult,
  migrate,
  migrationLimits,
  type WriteStop,
} from './engine.ts'
export { isUndecodable, isUnderUnknownKey, type Refusal, type Verdict } from './pass/classify-error.ts'
export type { ObjectPart } from './pass/page-source.ts'
export { RequestBudget } from './pass/request-budget.ts'
export { type RewrittenOne, rewriteOne } from './pass/rewrite-one.ts'
export type { Conclusion, Outcome, Proof } from './progress/decide-result.ts'
export type { Control } from './progress/halt.ts'
export {
  proofOf,
  resultWords,
  resumeOfStatus,
  statusOfReport,
  targetOfStatus,
} from './progress/migration-status.ts'
export type { Progress } from './progress/progress.ts'
export type { ProgressReport } from './progress/progress-reporter.ts'
export type { Quarantine, Quarantined } from './progress/quarantine.ts'
export type { ResumePoint } from './progress/resume-point.ts'
export { observeListeners } from './target/admission-listeners.ts'
export { censusKind } from './target/data-side.ts'
export { decideAddress, isMigratable } from './target/decide-address.ts'
export { decideOrigin, type OriginDecision, type OriginObservation } from './target/decide-origin.ts'
export { decideTarget } from './target/decide-target.ts'
export { groupOf } from './target/group-of.ts'
export { readOrigin, servesMirrors } from './target/observe-origin.ts'
export { isUnused, observeTarget, passesOn } from './target/observe-target.ts'
export type { Observed } from './target/observed.ts'
export {
  type DataAddresses,
  findDataSide,
  findOrigin,
  findOrigins,
  type OriginSight,
  ownDataSide,
} from './target/origin.ts'
export type { NamedServer } from './target/server-sight.ts'
export {
  type DefinitionState,
  decideMovement,
  type MigrationTarget,
  sameTarget,
  type TargetDecision,
  targetText,
} from './target/target.ts'
export { type Looks, TargetAges } from './target/target-ages.ts'
