export {
  ChangeTimer,
  type Claim,
  claimAnnotation,
  claimIn,
  claimRenewedAnnotation,
  claimText,
} from './claim.ts'
export { type ClaimDecision, type ClaimFacts, claimTimes, decideClaim } from './decide-claim.ts'
export { type Counts, failureMessage, type Stage } from './decide-conditions.ts'
export { endOf, failureOfOutcome, type MigrationEnd } from './migration-end.ts'
export { inTurn } from './migration-turn.ts'
export {
  conditionOf,
  invalidPriority,
  isCancelled,
  isEnded,
  isPaused,
  type MigrationCondition,
  type MigrationGroup,
  type MigrationObject,
  type MigrationView,
  mayUpstreamStart,
  migrationGroups,
  migrationSpec,
  objectName,
  pausedAnnotation,
  priorityAnnotation,
  viewOf,
} from './migration-view.ts'
export {
  claimAnnotations,
  type Heeds,
  isContested,
  MigrationWriter,
  type WriteOutcome,
} from './migration-writer.ts'
export { failureOf, pausedStage, pausing, resumeCommand } from './pause-annotation.ts'
export { annotatedProgress, annotationOf, progressAnnotation } from './progress-annotation.ts'
export { finalProgress, type StatusChange } from './status-patch.ts'
