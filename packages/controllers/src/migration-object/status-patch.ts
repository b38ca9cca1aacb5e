import type { MigrationProgress } from '@strata/api'
import { type ProgressReport, statusOfReport } from '../migrator/index.ts'
import { decideConditions, type Saying } from './decide-conditions.ts'
import type { MigrationView } from './migration-view.ts'

/** A change of the status of a migration: what is said about it, and how far it is. */
export function statusPatch(
  view: MigrationView,
  { saying, progress, checkpoint }: StatusChange,
  now: string,
): object {
  const { group, conditions } = view
  return {
    conditions: decideConditions(group, conditions, saying, now),
    ...(checkpoint === undefined ? {} : { resourceVersion: checkpoint }),
    ...(progress === undefined ? {} : replacing(view.progress, progress)),
  }
}

export interface StatusChange {
  readonly saying: Saying
  /** Takes the place of what was there; left out, that stays. */
  readonly progress?: MigrationProgress
  readonly checkpoint?: string
}

/** Of one that has come to its end: nobody goes on from there, and nothing is left to wait for. */
export function lastProgress(
  report: ProgressReport,
  result: NonNullable<MigrationProgress['result']>,
): MigrationProgress {
  const { continueToken: _, etaSeconds: __, ...progress } = statusOfReport(report)
  return { ...progress, result }
}

/** A merge patch adds to what is there. To take its place, whatever is no more has to be named. */
function replacing(before: object, after: object): object {
  const old = new Map<string, unknown>(Object.entries(before))
  const patch = new Map<string, unknown>(Object.keys(before).map((key) => [key, null]))
  for (const [key, value] of Object.entries(after)) {
    const was = old.get(key)
    patch.set(key, isPlain(value) && isPlain(was) ? replacing(was, value) : value)
  }
  return Object.fromEntries(patch)
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
