import type { ExitWord } from '../output/exit-codes.ts'
import type { Level, Report } from '../output/report.ts'
import type { InstalledObject } from './decide-objects.ts'

export type ObjectResult =
  | 'created'
  | 'changed'
  | 'unchanged'
  | 'would be created'
  | 'would be changed'
  | 'would be deleted'
  | 'deleted'
  | 'absent'
  | 'left alone'
  | 'not done'
  | 'refused'
  | 'unknown'

/** What became of one object. */
export interface ObjectReport {
  readonly kind: string
  readonly name: string
  readonly namespace?: string | undefined
  readonly result: ObjectResult
  readonly because?: string | undefined
}

export interface InstallReport {
  readonly objects: readonly ObjectReport[]
  /** What would be applied, with --dry-run. */
  readonly manifest?: readonly InstalledObject[]
  readonly next: readonly string[]
}

const levels: Readonly<Partial<Record<ObjectResult, Level>>> = {
  'left alone': 'note',
  'not done': 'failed',
  refused: 'failed',
  unknown: 'unknown',
}

export const exitOf = (objects: readonly ObjectReport[]): ExitWord => {
  if (objects.some(({ result }) => result === 'unknown')) return 'unknown'
  return objects.some(({ result }) => result === 'refused' || result === 'not done') ? 'incomplete' : 'proven'
}

export function reportOfInstall(command: string, { objects, next, manifest }: InstallReport): Report {
  const rows = objects.map(({ kind, namespace, name, result, because = '' }) => [
    ...[kind, namespace ?? '-', name, result, because],
  ])
  const columns = ['KIND', 'NAMESPACE', 'NAME', 'RESULT', 'REASON']
  return {
    command,
    sections: [{ table: { columns, rows } }, { notes: next }],
    results: objects.map(({ kind, name, result, because = '' }) => ({
      ...{ level: levels[result] ?? 'passed', rule: result.replaceAll(' ', '-'), subject: `${kind} ${name}` },
      message: because,
    })),
    document: { objects, ...(manifest === undefined ? {} : { manifest }) },
  }
}
