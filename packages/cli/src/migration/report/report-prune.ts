import type { Level, Report, Section } from '../../output/report.ts'
import type { PruneReport } from '../evidence/prune-definition.ts'

export interface PruneForm {
  /** The user named no CRDs: those with nothing to prune have no row. */
  readonly all: boolean
  readonly accept: string
}

/** A table of CRDs; then why, and the next step after a refusal. */
export function reportPrune(reports: readonly PruneReport[], form: PruneForm): Report {
  return {
    command: 'prune',
    sections: sectionsOf(reports, form),
    overview: { columns, rows: shownOf(reports, form).map(rowOf) },
    results: reports.map(({ definition, result, because, next }) => ({
      ...{ level: levelOf[result], rule: result, subject: definition, message: because },
      ...(next === undefined ? {} : { fix: next }),
    })),
    document: { definitions: reports },
  }
}

const columns = ['CRD', 'RESULT', 'STORED VERSIONS', 'STORAGE VERSION', 'DROPPED']

const levelOf: Readonly<Record<PruneReport['result'], Level>> = {
  pruned: 'passed',
  'would be pruned': 'passed',
  'nothing to prune': 'passed',
  refused: 'failed',
  unknown: 'unknown',
  'not seen': 'unknown',
}

const shownOf = (reports: readonly PruneReport[], { all }: PruneForm): readonly PruneReport[] =>
  reports.filter(({ result }) => !all || result !== 'nothing to prune')

const rowOf = ({ definition, result, storedVersions, storageVersion, dropped }: PruneReport): string[] => [
  definition,
  result,
  storedVersions?.join(', ') ?? '?',
  storageVersion ?? '-',
  dropped?.join(', ') ?? '-',
]

function sectionsOf(reports: readonly PruneReport[], form: PruneForm): Section[] {
  const shown = shownOf(reports, form)
  if (reports.length === 0) return [{ notes: ['Nothing to prune: the cluster has no CRDs.'] }]
  if (shown.length === 0)
    return [{ notes: [`Nothing to prune: each of ${reports.length} CRDs has one stored version.`] }]
  const remarks = shown.flatMap(({ definition, because, next }) => [
    `${definition}: ${because}`,
    ...(next === undefined ? [] : [`  Next: ${next}`]),
  ])
  const isBlind =
    form.accept === 'unknown' &&
    shown.some(({ exit, dropped }) => exit === 'unknown' && dropped !== undefined)
  const warning =
    'Objects may still be stored in the dropped versions. They cannot be read once a version is removed from its CRD.'
  return [
    { table: { columns, rows: shown.map(rowOf) } },
    { notes: remarks },
    ...(isBlind ? [{ notes: [warning] }] : []),
  ]
}
