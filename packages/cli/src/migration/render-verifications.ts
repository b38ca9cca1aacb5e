import { formatTable } from '../output/table.ts'
import type { Evidence } from './decide-evidence.ts'

export interface Verification extends Evidence {
  readonly resource: string
}

export function renderVerifications(reports: readonly Verification[], withRemarks: boolean): string {
  const table = formatTable(
    ['RESOURCE', 'VERDICT', 'WRITTEN IN', 'AGREEMENT'],
    reports.map(({ resource, verdict, target, established }) => [
      resource,
      verdict,
      target?.encodingVersion ?? (target?.hash === undefined ? '-' : `hash ${target.hash}`),
      established ?? 'none',
    ]),
  )
  const told = reports.filter(({ verdict }) => withRemarks || verdict !== 'proven')
  const remarks = told.flatMap((each) => [`${each.resource}: ${each.because}`, ...nextStep(each)])
  return remarks.length === 0 ? table : [table, '', ...remarks].join('\n')
}

function nextStep({ verdict, resource, census, target }: Verification): readonly string[] {
  const isProvable = target?.fenced === true
  if (verdict === 'stale' || (verdict === 'unknown' && isProvable))
    return [`  Next: strata migrate ${resource}`]
  if (verdict === 'unknown' && census === undefined) {
    return [`  Next: strata verify ${resource} --write, which sends each object a patch that changes nothing`]
  }
  return []
}
