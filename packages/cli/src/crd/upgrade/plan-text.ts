import { counted } from '@strata/insight'
import type { RollbackRisk } from '../plan/crd-plan.ts'
import { stepText } from '../plan/step-text.ts'
import { lossText } from './loss-text.ts'
import type { UpgradeReport } from './upgrade-report.ts'

/** What will be done, before it is done: only CRDs that change, or cannot. */
export function renderPlans(reports: readonly UpgradeReport[]): string {
  const shown = reports.filter(({ result }) => !['unchanged', 'skipped'].includes(result))
  const skipped = reports.filter(({ result }) => result === 'skipped')
  const same = reports.length - shown.length - skipped.length
  const rest =
    same === 0 ? [] : [`${counted(same, 'CRD')}: nothing to do, the cluster has the new one already.`]
  const notes = skipped.map(({ definition, because }) => `${definition}: skipped: ${because}`)
  return [...shown.map(planText), notes.join('\n'), ...rest].filter((each) => each !== '').join('\n\n')
}

export function planText(report: UpgradeReport): string {
  const { definition, file, isBack, objects, fieldManager, managedBy, losses, warnings } = report
  if (report.plan === undefined) return `${definition} (${file})`
  const plan = report.result === 'impossible' ? { ...report.plan, steps: [] } : report.plan
  const many = objects === undefined ? 'an unknown number of objects' : counted(objects, 'object')
  const refusal =
    plan.refusal === undefined ? [] : [`  Applied as it is, the server refuses it: ${plan.refusal}`]
  const stored = plan.stored.length === 0 ? '' : `; storedVersions: ${plan.stored.join(', ')}`
  return [
    `${definition} (${file}): ${many}${stored}`,
    ...refusal,
    ...plan.steps.map((step, index) => `  ${index + 1}. ${stepText(step, isBack ? 'old' : 'new')}`),
    ...(plan.steps.length === 0 ? [] : [`  Rollback: ${rollbackText(plan.rollback)}`]),
    ...(plan.steps.length === 0 ? [] : [`  Written as field manager ${fieldManager}.`]),
    ...managedBy.map((each) => `  Managed by ${each}`),
    ...losses.map((each) => `  LOSS: ${lossText(each)}`),
    ...warnings.map((each) => `  Note: ${each}`),
  ].join('\n')
}

function rollbackText({ verdict, because, steps }: RollbackRisk): string {
  switch (verdict) {
    case 'not applicable':
      return because
    case 'accepted':
      return `the old file can be applied again: ${because}`
    case 'refused':
      return `the old file is refused afterwards: ${because}. The same command with the old file leads back (${steps.map((step) => stepText(step, 'old')).join('; ')})`
    case 'lost':
      return `there is no way back after the last step: ${because}`
  }
}
