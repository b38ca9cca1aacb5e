import { type MigrationFailure, migrationPaused } from '@strata/api'
import type { MigrationCondition, MigrationGroup } from '@strata/insight'

/** How many objects are not yet migrated, and how many there are; unknown until a list has counted them. */
export interface Counts {
  readonly left: number
  readonly total: number
}

/** The stage that the conditions of a migration report. */
export type Stage =
  | ReportedStage
  /** It ended before, and its Running condition was left as it was. */
  | { readonly kind: 'over' }

type ReportedStage =
  | {
      readonly kind: 'running'
      readonly counts?: Counts | undefined
      readonly waitingFor?: string | undefined
      readonly note?: string | undefined
    }
  /** `next` is the command that resumes it; `failure` says why it paused by itself. */
  | { readonly kind: 'paused'; readonly next: string; readonly failure?: string | undefined }
  | { readonly kind: 'succeeded'; readonly because?: string; readonly note?: string }
  | { readonly kind: 'failed'; readonly failure: MigrationFailure; readonly message: string }

const stageTypes: ReadonlySet<string> = new Set(['Running', 'Succeeded', 'Failed'])

/**
 * The conditions of a migration at this stage. Conditions of other types stay as they are. Types and messages are
 * upstream's (docs/reference/upstream-behaviour.md, 3.4 and 4.3).
 */
export function decideConditions(
  group: MigrationGroup,
  before: readonly MigrationCondition[],
  stage: Stage,
  now: string,
): readonly MigrationCondition[] {
  return group === 'migration.k8s.io'
    ? versionedConditions(before, stage, now)
    : plainConditions(before, stage, now)
}

/** `migration.k8s.io`: exactly one of the three types is present. */
function versionedConditions(
  before: readonly MigrationCondition[],
  stage: Stage,
  now: string,
): readonly MigrationCondition[] {
  if (stage.kind === 'over') return before.filter(({ type }) => type !== 'Running')
  const others = before.filter(({ type }) => !stageTypes.has(type))
  const next = versionedCondition(stage)
  const standing = before.find(({ type }) => type === next.type)
  const isSame =
    standing?.status === next.status &&
    standing.reason === next.reason &&
    (standing.message ?? '') === next.message
  return [...others, isSame ? standing : { ...next, lastUpdateTime: now }]
}

function versionedCondition(stage: ReportedStage): MigrationCondition {
  switch (stage.kind) {
    case 'running': {
      // Without counts: lastUpdateTime would change with each object.
      const { counts: _, ...rest } = stage
      const message = withNote(runningMessage(rest), stage.note)
      return { type: 'Running', status: 'True', reason: 'MigrationRunning', message }
    }
    case 'paused':
      return pausedCondition(stage)
    case 'succeeded':
      return {
        ...{ type: 'Succeeded', status: 'True', reason: 'MigrationSucceeded' },
        message: succeededMessage(stage),
      }
    case 'failed':
      return { type: 'Failed', status: 'True', reason: 'MigrationFailed', message: stage.message }
  }
}

const completed = 'Migration completed'

/** `storagemigration.k8s.io`: Running stays, and becomes False at the end. */
function plainConditions(
  before: readonly MigrationCondition[],
  stage: Stage,
  now: string,
): readonly MigrationCondition[] {
  const running = { type: 'Running', status: 'True', reason: 'MigrationRunning' }
  const over = { type: 'Running', status: 'False', reason: 'MigrationCompleted', message: completed }
  switch (stage.kind) {
    case 'running':
      return withCondition(before, { ...running, message: runningMessage(stage) }, now)
    case 'paused':
      return withCondition(before, pausedCondition(stage), now)
    case 'over':
      return withCondition(before, over, now)
    case 'succeeded': {
      const reason = 'StorageVersionMigrationSucceeded'
      const next = { type: 'Succeeded', status: 'True', reason, message: succeededMessage(stage) }
      return withCondition(withCondition(before, over, now), next, now)
    }
    case 'failed': {
      const reason = 'StorageVersionMigrationFailed'
      const next = { type: 'Failed', status: 'True', reason, message: stage.message }
      return withCondition(withCondition(before, over, now), next, now)
    }
  }
}

/** Each condition keeps its place in the list, and the time at which its status last changed. */
function withCondition(
  before: readonly MigrationCondition[],
  condition: MigrationCondition,
  now: string,
): readonly MigrationCondition[] {
  const standing = before.find(({ type }) => type === condition.type)
  const lastTransitionTime =
    standing?.status === condition.status ? (standing.lastTransitionTime ?? now) : now
  const next = { ...condition, lastTransitionTime }
  return standing ? before.map((each) => (each === standing ? next : each)) : [...before, next]
}

/** The migration has not ended, and does not run. */
function pausedCondition({ next, failure }: Stage & { readonly kind: 'paused' }): MigrationCondition {
  const why = failure === undefined ? '' : `, because it could not continue: ${failure}`
  const message = `The migration is paused${why}; to resume it: ${next}`
  return { type: 'Running', status: 'False', reason: migrationPaused, message }
}

const withNote = (message: string, note: string | undefined): string =>
  note === undefined ? message : `${message}; ${note}`

const succeededMessage = ({ because = completed, note }: Stage & { readonly kind: 'succeeded' }): string =>
  withNote(because, note)

function runningMessage({ counts, waitingFor }: Omit<Stage & { readonly kind: 'running' }, 'kind'>): string {
  const { left = 0, total = 0 } = counts ?? {}
  const count =
    total === 0
      ? ''
      : left > 0
        ? `, ${left}/${total} objects not yet migrated`
        : `, ${total} objects verified migrated`
  const transient = waitingFor === undefined ? '' : `; transient error: ${waitingFor}`
  return `The migration is running${count}${transient}`
}

/** Upstream's text for a failure, with the number of objects that are left. */
export function failureMessage(because: string, counts?: Counts): string {
  const left = counts && counts.total > 0 ? `${counts.left}/${counts.total} not yet migrated. ` : ''
  return `${left}migration encountered unhandled error: ${because}`
}
