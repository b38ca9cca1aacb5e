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
export { type ClaimDecision, type ClaimFacts, claimTimes, decideClaim } from './decide-claim.ts'
export {
  type Counts,
  decideConditions,
  failureMessage,
  runningMessage,
  type Saying,
  waitingIn,
} from './decide-conditions.ts'
export { inTurn, type Turn } from './migration-turn.ts'
export {
  isCancelled,
  isEnded,
  isPaused,
  isUpstreamsToBegin,
  type MigrationGroup,
  type MigrationObject,
  type MigrationView,
  migrationGroups,
  pausedAnnotation,
  priorityAnnotation,
  priorityOf,
  unreadPriority,
  type ViewedCondition,
  viewOf,
} from './migration-view.ts'
export { MigrationRecord } from './migration-writer.ts'
export { failureOf, pausing } from './pause-annotation.ts'
export { annotatedProgress, progressAnnotation } from './progress-annotation.ts'
export { lastProgress, type StatusChange, statusPatch } from './status-patch.ts'
