import { counted } from '@strata/insight'
import type { MigrationReport } from './migration-report.ts'
import { groupLines } from './report-plan.ts'

/** What upstream's migrator did, for people. */
export function inTreeLines({ inTree }: Pick<MigrationReport, 'inTree'>): readonly string[] {
  if (inTree === undefined) return []
  const { migration, result, refused = [], leftBehind, storedVersions, fix } = inTree
  const left = leftBehind === undefined ? '' : leftText(leftBehind)
  return [
    ...(migration === undefined || result === undefined ? [] : [`${migration}: ${result}${left}`]),
    ...refused.flatMap(groupLines).map((each) => each.replace(/^ {2}/, '')),
    ...(storedVersions === undefined
      ? []
      : [`stored versions ${storedVersions.result}: ${storedVersions.because}`]),
    ...(fix === undefined ? [] : [`To do: ${fix}`]),
  ]
}

const leftText = (count: number): string =>
  count === 0
    ? ', and nothing was left in an old encoding'
    : `, and ${counted(count, 'object')} was left in an old encoding: this command has rewritten what it could`
