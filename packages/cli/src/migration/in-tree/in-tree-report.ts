import type { MigrationTarget } from '@strata/controllers'
import type { RefusedGroup } from '../plan/planned-resource.ts'
import { type MigrationReport, reportOfTarget } from '../report/migration-report.ts'
import type { MigrationJob } from '../run/migration-job.ts'
import type { Restored } from './restore-versions.ts'

/** What upstream's migrator did, and what this command did about it. */
export interface InTreeReport {
  /** The name of the migration for kubectl; absent if none was created. */
  readonly migration?: string
  readonly result?: 'Succeeded' | 'Failed'
  readonly message?: string
  /** What to do about a failure. */
  readonly fix?: string
  /** Objects that would be refused, by a dry run of every write. */
  readonly refused?: readonly RefusedGroup[]
  /** Objects that upstream left in an old encoding, and that this command has rewritten. */
  readonly leftBehind?: number
  readonly storedVersions?: StoredVersionsReport
}

export interface StoredVersionsReport {
  readonly result: 'restored' | 'as they were' | 'not restored' | 'unknown'
  readonly because: string
  readonly added?: readonly string[]
}

export type InTreeOutcome = 'failed' | 'aborted' | 'paused' | 'incomplete'

/** What this command reports of its own: never a success. */
export function reportInTree(
  { resource }: Pick<MigrationJob, 'resource'>,
  target: MigrationTarget | undefined,
  { outcome, because }: { readonly outcome: InTreeOutcome; readonly because: string },
  inTree: InTreeReport = {},
): MigrationReport {
  const report = reportOfTarget(resource, target, { outcome, proof: 'unknown', because })
  return { ...report, inTree }
}

/**
 * What became of storedVersions. `openMigration`: one that has ended, and that the migrator has not cleaned up. It may have lost
 * its lead before it cut them, and the next leader cuts them then.
 */
export function storedVersionsReport(
  restored: Restored,
  name: string,
  openMigration?: string,
): StoredVersionsReport {
  const report = reportOfRestored(restored, name)
  if (openMigration === undefined || report.result === 'not restored') return report
  const because = `${openMigration} has ended, and kube-controller-manager has not cleaned up: it may cut status.storedVersions of ${name} again when it does (now: ${report.because}): remove no version from it, and run the same command again`
  return { ...report, result: 'unknown', because }
}

function reportOfRestored(restored: Restored, name: string): StoredVersionsReport {
  switch (restored.do) {
    case 'nothing':
      return { result: 'as they were', because: restored.because }
    case 'restore': {
      const { added, gone } = restored
      const lost = gone.length === 0 ? '' : `; ${goneWarning(gone)}`
      const because = `the migrator had cut status.storedVersions of ${name}; ${added.join(', ')} is listed again, because objects may still be stored so${lost}`
      return { result: 'restored', because, added }
    }
    case 'impossible':
      return { result: 'not restored', because: restored.because }
    case 'unknown': {
      const patch = JSON.stringify({ status: { storedVersions: restored.wanted } })
      const fix = `kubectl patch crd ${name} --subresource status --type merge -p '${patch}'`
      const because = `whether status.storedVersions of ${name} lists ${restored.wanted.join(', ')} is not known (${restored.because}): remove no version from it, and run ${fix}`
      return { result: 'unknown', because }
    }
  }
}

const goneWarning = (gone: readonly string[]): string =>
  `${gone.join(', ')} is not in spec.versions any more: add it again, or objects that are stored so stay unreadable`
