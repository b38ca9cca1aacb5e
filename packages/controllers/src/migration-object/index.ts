export { ChangeTimer } from './change-timer.ts'
export { type ClaimDecision, type ClaimFacts, claimTimes, decideClaim } from './decide-claim.ts'
export { type Counts, failureMessage, type Stage } from './decide-conditions.ts'
export { endOf, failureOfOutcome, type MigrationEnd } from './migration-end.ts'
export { inTurn } from './migration-turn.ts'
export {
  claimAnnotations,
  type Heeds,
  isContested,
  MigrationWriter,
  type WriteOutcome,
} from './migration-writer.ts'
export { pausedStage } from './paused-stage.ts'
export { finalProgress, type StatusChange } from './status-patch.ts'
