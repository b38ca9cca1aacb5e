import type { MigrationTarget } from '@strata/controllers'
import { type MigrationView, objectName } from '@strata/insight'
import { planResource } from '../plan/plan-resource.ts'
import { countOf } from '../plan/planned-resource.ts'
import type { MigrationReport } from '../report/migration-report.ts'
import { migrateResource } from '../run/migrate-resource.ts'
import type { MigrationJob } from '../run/migration-job.ts'
import type { CrdBefore } from './decide-restored.ts'
import { explainFailure } from './explain-failure.ts'
import { type InTreeObjects, isUnsettled } from './in-tree-objects.ts'
import { type InTreeReport, reportInTree, storedVersionsReport } from './in-tree-report.ts'
import type { InTreeEnd } from './in-tree-state.ts'
import { restoreVersions } from './restore-versions.ts'

export interface EndedInTree {
  readonly job: MigrationJob
  readonly objects: InTreeObjects
  readonly target: MigrationTarget | undefined
  readonly ended: MigrationView
  readonly before: CrdBefore | undefined
  readonly state: InTreeEnd
}

/** Judges a migration that upstream's migrator has ended, and repairs what that did to the CRD. */
export function settleInTree(settled: EndedInTree): Promise<MigrationReport> {
  return settled.state.result === 'Failed' ? settleFailure(settled) : verify(settled)
}

async function settleFailure(settled: EndedInTree): Promise<MigrationReport> {
  const { job, objects, target, ended, before, state } = settled
  const { result, message } = state
  // First: a user who removes the old version from the CRD meanwhile loses what is stored in it.
  const restored = await restoreVersions(job, before)
  const storedVersions = before && storedVersionsReport(restored, job.name, openMigration(ended))
  if (storedVersions?.result !== 'unknown') await markSettled(job, objects, ended, result)
  job.view.note(job.name, `${objectName(ended)} failed: asking which objects would be refused`)
  const now = await planResource(job).catch(() => undefined)
  const { why, fix } = explainFailure(message, now)
  const refused = now?.refused ?? []
  const outcome = countOf(refused) > 0 ? 'incomplete' : 'failed'
  const because = `upstream's migrator failed: ${why}`
  const report = reportInTree(
    job,
    target ?? now?.target,
    { outcome, because },
    {
      ...{ migration: objectName(ended), result, message, refused, fix },
      ...(storedVersions ? { storedVersions } : {}),
    },
  )
  return { ...report, ...(now?.total === undefined ? {} : { total: now.total }) }
}

/** A pass of our own over everything, which also rewrites what upstream has left. */
async function verify(settled: EndedInTree): Promise<MigrationReport> {
  const { job, objects, ended, before, state } = settled
  job.view.note(job.name, `${objectName(ended)} succeeded: looking at every object once more`)
  let report: MigrationReport | undefined
  try {
    report = await migrateResource(job)
  } finally {
    // It threw, and nothing is known.
    if (report === undefined) await restoreVersions(job, before)
  }
  const isClean = report.exit === 'proven' || report.exit === 'observedClean'
  const restored = isClean ? undefined : await restoreVersions(job, before)
  const storedVersions = restored && before && storedVersionsReport(restored, job.name, openMigration(ended))
  const isOver = report.outcome !== 'paused' && report.outcome !== 'failed'
  if (isOver && storedVersions?.result !== 'unknown') await markSettled(job, objects, ended, state.result)
  const inTree: InTreeReport = {
    ...{ migration: objectName(ended), result: state.result, leftBehind: report.migrated ?? 0 },
    ...(state.message === '' ? {} : { message: state.message }),
    ...(storedVersions ? { storedVersions } : {}),
  }
  return { ...report, inTree }
}

/** Unsettled, it is followed by the next command, which restores what the migrator cuts until then. */
const openMigration = (ended: MigrationView): string | undefined =>
  ended.saysRunning ? objectName(ended) : undefined

/** Without the mark, the next command restores once more, which only delays the removal of a version. */
export async function markSettled(
  job: MigrationJob,
  objects: InTreeObjects,
  ended: MigrationView,
  result: string,
): Promise<void> {
  if (isUnsettled(ended)) await job.writeEnd((signal) => objects.settle(ended, result, signal))
}
