import { formatTable } from '../../output/table.ts'
import type { Evidence, Verdict } from '../evidence/decide-evidence.ts'
import { undecodableRemedy } from '../evidence/undecodable-remedy.ts'
import type { NotSeen } from '../resources/each-resource.ts'
import { type Given, nothingGiven } from '../resources/given-flags.ts'

export interface Verification extends Omit<Evidence, 'verdict'> {
  readonly resource: string
  readonly verdict: Verdict | NotSeen['verdict']
}

export function renderVerifications(
  reports: readonly Verification[],
  withRemarks: boolean,
  given: Given = nothingGiven,
): string {
  const table = formatTable(
    ['RESOURCE', 'VERDICT', 'WRITTEN IN', 'AGREEMENT'],
    reports.map(({ resource, verdict, target, established }) => [
      resource,
      verdict,
      target?.encodingVersion ?? (target?.hash === undefined ? '-' : `hash ${target.hash}`),
      established ?? (verdict === 'not seen' ? '?' : 'none'),
    ]),
  )
  const remarkable = reports.filter(({ verdict }) => withRemarks || verdict !== 'proven')
  const remarks = remarkable.flatMap((each) => [
    `${each.resource}: ${each.because}`,
    ...nextStep(each, given),
  ])
  return remarks.length === 0 ? table : [table, '', ...remarks].join('\n')
}

function nextStep({ verdict, ...report }: Verification, { strata }: Given): readonly string[] {
  const { resource, census, target, undecodable, lackedKeys } = report
  if (lackedKeys !== undefined) {
    return [...lackedKeys.map((each) => `  Next: ${each}`), '  Or ask another server (--context)']
  }
  const isProvable = target?.fenced === true
  if (undecodable !== undefined) {
    const next = undecodableRemedy(report, `"strata migrate ${resource}${strata}"`)
    return [`  No server can decode ${undecodable.join(', ')}. Next: ${next}`]
  }
  if (verdict === 'stale' || (verdict === 'unknown' && isProvable))
    return [`  Next: strata migrate ${resource}${strata}`]
  if (verdict === 'unknown' && census === undefined) {
    return [
      `  Next: strata verify ${resource}${strata} --write, which sends each object a patch that changes nothing`,
    ]
  }
  return []
}
