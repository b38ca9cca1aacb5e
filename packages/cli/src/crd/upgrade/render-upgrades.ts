import { counted } from '@strata/insight'
import { formatTable } from '../../output/table.ts'
import type { RollbackRisk } from '../plan/crd-plan.ts'
import type { LossGroup } from './loss-groups.ts'
import { stepText } from './step-text.ts'
import type { UpgradeReport } from './upgrade-report.ts'

/** What will be done, before it is done: only CRDs that change, or cannot. */
export function renderPlans(reports: readonly UpgradeReport[]): string {
  const shown = reports.filter(({ result }) => result !== 'unchanged')
  const same = reports.length - shown.length
  const rest =
    same === 0 ? [] : [`${counted(same, 'CRD')}: nothing to do, the cluster has the new one already.`]
  return [...shown.map(planText), ...rest].join('\n\n')
}

function planText(report: UpgradeReport): string {
  const { definition, file, plan, objects, fieldManager, managedBy, losses, warnings } = report
  if (plan === undefined) return `${definition} (${file})`
  const many = objects === undefined ? 'an unknown number of objects' : counted(objects, 'object')
  const refusal =
    plan.refusal === undefined ? [] : [`  Applied as it is, the server refuses it: ${plan.refusal}`]
  const stored = plan.stored.length === 0 ? '' : `; storedVersions: ${plan.stored.join(', ')}`
  return [
    `${definition} (${file}): ${many}${stored}`,
    ...refusal,
    ...plan.steps.map((step, index) => `  ${index + 1}. ${stepText(step)}`),
    ...(plan.steps.length === 0 ? [] : [`  Rollback: ${rollbackText(plan.rollback)}`]),
    ...(plan.steps.length === 0 ? [] : [`  Written as field manager ${fieldManager}.`]),
    ...managedBy.map((each) => `  Managed by ${each}`),
    ...losses.map((each) => `  ${lossText(each)}`),
    ...warnings.map((each) => `  Note: ${each}`),
  ].join('\n')
}

function rollbackText({ verdict, because, steps }: RollbackRisk): string {
  switch (verdict) {
    case 'accepted':
      return `the old file can be applied again: ${because}`
    case 'refused':
      return `the old file is refused afterwards: ${because}. The same command with the old file leads back (${steps.map((step) => stepText(step, 'old')).join('; ')})`
    case 'lost':
      return `there is no way back after the last step: ${because}`
  }
}

function lossText({ kind, path, objects, examples, message, accepted }: LossGroup): string {
  const where = `${counted(objects, 'object')}: ${examples.join(', ')}${objects > examples.length ? ', …' : ''}`
  const end = accepted ? ' (accepted)' : ''
  const what = {
    lost: `${path} would be lost`,
    changed: `${path} would get another value`,
    refused: `the new schema refuses ${message ?? path}`,
  }[kind]
  return `LOSS: ${what} in ${where}${end}`
}

/** What was done. */
export function renderUpgrades(reports: readonly UpgradeReport[]): string {
  const table = formatTable(
    ['CRD', 'PLAN', 'RESULT', 'OBJECTS', 'PROOF'],
    reports.map(({ definition, plan, result, objects, proof }) => [
      definition,
      plan?.kind ?? '-',
      result,
      objects === undefined ? '?' : String(objects),
      proof ?? '-',
    ]),
  )
  const remarks = reports
    .filter(({ result }) => result !== 'unchanged' && result !== 'not done')
    .flatMap(({ definition, because, next, savedObjects }) => [
      `${definition}: ${because}`,
      ...(savedObjects === undefined ? [] : [`  Objects as they were: ${savedObjects}`]),
      ...(next === undefined ? [] : [`  Next: ${next}`]),
    ])
  return [table, ...(remarks.length === 0 ? [] : ['', ...remarks])].join('\n')
}
