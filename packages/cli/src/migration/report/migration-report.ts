import { type GroupResource, groupResourceText, type MigrationProgress } from '@strata/api'
import { type MigrationResult, type MigrationTarget, targetOfStatus, targetText } from '@strata/controllers'
import type { ExitWord } from '../../output/exit-codes.ts'
import type { InTreeReport } from '../in-tree/in-tree-report.ts'
import type { RecordEnd, RecordState } from '../records/record.ts'
import type { DroppedOwnership } from '../run/dropped-ownership.ts'

export interface Quarantined {
  readonly namespace?: string
  readonly name: string
  readonly reason: string
  readonly message?: string
}

/** The result for one resource, for users and programs. */
export interface MigrationReport {
  readonly resource: string
  /** `requested`: the controllers will run it. `skipped`: --all found nothing to rewrite. */
  readonly outcome: RecordEnd['outcome'] | 'requested' | 'skipped'
  readonly proof: RecordEnd['proof']
  readonly because: string
  readonly exit: ExitWord
  readonly target?: string | undefined
  /** How it is known that all servers write that. */
  readonly established?: string
  readonly total?: number | undefined
  readonly migrated?: number | undefined
  readonly alreadyCurrent?: number | undefined
  /** With --dry-run: how many objects would be rewritten, by a census of the store. */
  readonly stale?: number | undefined
  readonly quarantined: number
  /** The first of them. */
  readonly quarantine: readonly Quarantined[]
  /** Where it is written down. */
  readonly record?: string | undefined
  /** The command that hands the migration to the controllers. */
  readonly handOver?: string | undefined
  /** Whether controllers run, if the migration was requested from them; absent if that could not be read. */
  readonly controllersAtWork?: boolean
  readonly tookSeconds?: number
  /** Objects that lost, or in a dry run would lose, all of managedFields; absent if none is known. */
  readonly droppedOwnership?: DroppedOwnership
  /** With --in-tree: what upstream's migrator did. */
  readonly inTree?: InTreeReport
}

const proofExits = { proven: 'proven', 'observed clean': 'observedClean', unknown: 'unknown' } as const

function exitOf({ outcome, proof }: Pick<RecordEnd, 'outcome' | 'proof'>, quarantined: number): ExitWord {
  switch (outcome) {
    case 'succeeded':
      return proofExits[proof]
    case 'incomplete':
      return 'incomplete'
    case 'aborted':
    case 'cancelled':
      return 'aborted'
    case 'failed':
      return 'notSeen'
    case 'paused':
      return 'stopped'
    case 'rehearsed':
      return quarantined > 0 ? 'incomplete' : 'rehearsed'
  }
}

export function reportOfTarget(
  resource: GroupResource,
  target: MigrationTarget | undefined,
  end: RecordEnd,
  { total, migrated, alreadyCurrent, quarantined = 0, quarantine = [] }: MigrationProgress = {},
): MigrationReport {
  return {
    resource: groupResourceText(resource),
    ...{ outcome: end.outcome, proof: end.proof, because: end.because, exit: exitOf(end, quarantined) },
    target: target && targetText(target),
    ...{ total, migrated, alreadyCurrent, quarantined, quarantine },
  }
}

/** A resource that --all left alone. Its CRD is evidence, and no proof: another client may have cut its list. */
export function reportOfSkipped(
  resource: GroupResource,
  target: MigrationTarget,
  because: string,
): MigrationReport {
  const report = reportOfTarget(resource, target, { outcome: 'succeeded', proof: 'unknown', because })
  return { ...report, outcome: 'skipped', exit: 'observedClean' }
}

/** Names the key of the target: in a rotation only the key changes. */
export function withKey(
  report: MigrationReport,
  { writeKey }: { readonly writeKey?: string | undefined },
): MigrationReport {
  if (report.target === undefined || writeKey === undefined) return report
  return { ...report, target: `${report.target} under ${writeKey}` }
}

/** The report of a migration that another process has run. */
export function reportOfRecord(
  resource: GroupResource,
  { where, progress }: Pick<RecordState, 'where' | 'progress'>,
  end: RecordEnd,
): MigrationReport {
  return { ...reportOfTarget(resource, targetOfStatus(resource, progress), end, progress), record: where }
}

export function reportOfResult(
  resource: GroupResource,
  { outcome, proof, because, progress, quarantine, resume }: MigrationResult,
  {
    where,
    handOver,
    tookMs,
  }: { readonly where: string | undefined; readonly handOver: string | undefined; readonly tookMs: number },
): MigrationReport {
  const { total, migrated, alreadyCurrent, overtaken } = progress
  const counts = {
    ...(total === undefined ? {} : { total }),
    ...{ migrated, alreadyCurrent: alreadyCurrent + overtaken, quarantined: quarantine.total },
  }
  return {
    ...reportOfTarget(resource, resume.target, { outcome, proof, because }, counts),
    quarantine: quarantine.objects,
    ...{ record: where, handOver },
    tookSeconds: Math.round(tookMs / 100) / 10,
  }
}
