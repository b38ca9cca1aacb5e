import type { Level, Report, Result } from '../../output/report.ts'
import type { Evidence, Verdict } from '../evidence/decide-evidence.ts'
import { undecodableRemedy } from '../evidence/undecodable-remedy.ts'
import type { NotSeen } from '../resources/each-resource.ts'
import { type Given, nothingGiven } from '../resources/given-flags.ts'

export interface Verification extends Omit<Evidence, 'verdict'> {
  readonly resource: string
  readonly verdict: Verdict | NotSeen['verdict']
}

export function reportVerifications(
  reports: readonly Verification[],
  withRemarks: boolean,
  given: Given = nothingGiven,
): Report {
  const rows = reports.map(({ resource, verdict, target, established }) => [
    resource,
    verdict,
    target?.encodingVersion ?? (target?.hash === undefined ? '-' : `hash ${target.hash}`),
    established ?? (verdict === 'not seen' ? '?' : 'none'),
  ])
  const remarkable = reports.filter(({ verdict }) => withRemarks || verdict !== 'proven')
  const remarks = remarkable.flatMap((each) => [
    `${each.resource}: ${each.because}`,
    ...nextStep(each, given),
  ])
  return {
    command: 'verify',
    sections: rows.length === 0 ? [] : [{ table: { columns, rows } }, { notes: remarks }],
    results: reports.map((each) => resultOf(each, nextStep(each, given))),
    document: { resources: reports },
  }
}

const columns = ['RESOURCE', 'VERDICT', 'WRITTEN IN', 'AGREEMENT']

/** For CI: only what is wrong, or may be, keeps a run from passing. */
export const verdictLevels: Readonly<Record<Verification['verdict'], Level>> = {
  proven: 'passed',
  'observed clean': 'warning',
  unknown: 'unknown',
  stale: 'failed',
  disagreed: 'failed',
  'not seen': 'unknown',
}

function resultOf({ resource, verdict, because }: Verification, next: readonly string[]): Result {
  const fix = next.map((line) => line.trim().replace(/^Next: /, '')).join('\n')
  return {
    ...{ level: verdictLevels[verdict], rule: verdict, subject: resource, message: because },
    ...(fix === '' ? {} : { fix }),
  }
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
      `  Next: strata verify ${resource}${strata} --write, which sends each object an empty patch: the server rewrites those that are old`,
    ]
  }
  return []
}
