import type { Column, Level, Report, Result, Section } from '../../output/report.ts'
import type { LossGroup } from './loss-groups.ts'
import { lossText } from './loss-text.ts'
import { planText } from './plan-text.ts'
import type { UpgradeReport, UpgradeResult } from './upgrade-report.ts'

/** What was done, or would be: one row per CRD, then why, and what to do next. */
export function reportUpgrades(reports: readonly UpgradeReport[]): Report {
  const table = { columns, rows: reports.map(rowOf) }
  const details = reports.flatMap((each): Section[] =>
    ['unchanged', 'skipped'].includes(each.result)
      ? []
      : [{ isDetail: true, notes: planText(each).split('\n') }],
  )
  return {
    command: 'crd upgrade',
    sections: [{ table }, { notes: reports.flatMap(remarksOf) }, ...details],
    results: reports.flatMap(resultsOf),
    document: { definitions: reports },
  }
}

const columns: readonly Column[] = [
  ...['CRD', 'PLAN', 'RESULT', 'OBJECTS', 'PROOF'],
  ...[{ wide: 'ROLLBACK' }, { wide: 'FIELD MANAGER' }, { wide: 'FILE' }],
]

function rowOf({ definition, plan, result, objects, proof, fieldManager, file }: UpgradeReport): string[] {
  const verdict = plan === undefined || plan.steps.length === 0 ? 'not applicable' : plan.rollback.verdict
  const rollback = verdict === 'not applicable' ? '-' : verdict
  return [
    ...[definition, plan?.kind ?? '-', result, objects === undefined ? '?' : String(objects), proof ?? '-'],
    ...[rollback, fieldManager ?? '-', file],
  ]
}

function remarksOf({ definition, result, because, next, savedObjects, done }: UpgradeReport): string[] {
  if (result === 'unchanged' || result === 'not done') return []
  return [
    `${definition}: ${because}`,
    ...(done.length === 0 ? [] : [`  Done: ${done.join('; ')}`]),
    ...(savedObjects === undefined
      ? []
      : [
          `  Objects as they were: ${savedObjects} (before kubectl can apply one: its apiVersion and fields must be those of a served version)`,
        ]),
    ...(next === undefined ? [] : [`  Next: ${next}`]),
  ]
}

const levelOf: Readonly<Record<UpgradeResult, Level>> = {
  upgraded: 'passed',
  'would be upgraded': 'passed',
  unchanged: 'passed',
  'put back': 'passed',
  'would be put back': 'passed',
  skipped: 'note',
  'partly done': 'failed',
  impossible: 'failed',
  lossy: 'failed',
  stopped: 'failed',
  aborted: 'failed',
  'not done': 'failed',
  'not seen': 'unknown',
  unknown: 'unknown',
}

function resultsOf(report: UpgradeReport): Result[] {
  const { definition: subject, place, result, because, next, losses, warnings } = report
  return [
    { level: levelOf[result], rule: result, subject, message: because, fix: next, ...place },
    ...losses.map((each) => ({ ...lossResult(each), subject: `${subject} ${each.path}`, ...place })),
    ...warnings.map((message) => ({ level: 'warning', rule: 'note', subject, message, ...place }) as const),
  ]
}

function lossResult(loss: LossGroup): Pick<Result, 'level' | 'rule' | 'message'> {
  const { kind, accepted } = loss
  return { level: accepted ? 'warning' : 'failed', rule: `field ${kind}`, message: lossText(loss) }
}
