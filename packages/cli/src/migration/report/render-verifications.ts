import { counted, groupByText } from '@strata/insight'
import type { Level, Report, Result, Section } from '../../output/report.ts'
import type { Evidence, Verdict } from '../evidence/decide-evidence.ts'
import { undecodableRemedy } from '../evidence/undecodable-remedy.ts'
import type { NotSeen } from '../resources/each-resource.ts'
import { type Given, nothingGiven } from '../resources/given-flags.ts'

export interface Verification extends Omit<Evidence, 'verdict'> {
  readonly resource: string
  readonly verdict: Verdict | NotSeen['verdict']
}

/**
 * A row for each, then in words what is not proven. If all resources are asked about, those that could not be seen are one
 * line for each reason: on clusters that are not Strata's that is every resource that this user did not migrate.
 */
export function reportVerifications(
  reports: readonly Verification[],
  withRemarks: boolean,
  given: Given = nothingGiven,
): Report {
  const isFolded = (each: Verification): boolean => !withRemarks && isUnseen(each)
  const folded = reports.filter(isFolded)
  const shown = reports.filter((each) => !isFolded(each))
  const remarkable = shown.filter(({ verdict }) => withRemarks || verdict !== 'proven')
  const isDetail = true
  return {
    command: 'verify',
    sections: [
      ...(shown.length === 0 ? [] : [tableOf(shown), remarksOf(remarkable, given)]),
      ...(folded.length === 0 ? [] : [{ ...tableOf(folded), isDetail }, foldedOf(folded, given)]),
      ...(withRemarks || reports.length === 0 ? [] : [summaryOf(reports)]),
    ],
    results: reports.map((each) => resultOf(each, nextStep(each, given))),
    document: { resources: reports },
  }
}

/** Nothing that this command can read tells how it is stored. */
function isUnseen({ verdict, census, undecodable, lackedKeys, target }: Verification): boolean {
  const says = census ?? undecodable ?? lackedKeys
  return verdict === 'not seen' || (verdict === 'unknown' && says === undefined && target?.fenced !== true)
}

function tableOf(reports: readonly Verification[]): Section {
  const rows = reports.map(({ resource, verdict, target, established }) => [
    resource,
    verdict,
    target?.encodingVersion ?? (target?.hash === undefined ? '-' : `hash ${target.hash}`),
    established ?? (verdict === 'not seen' ? '?' : 'none'),
  ])
  return { table: { columns, rows } }
}

function remarksOf(reports: readonly Verification[], given: Given): Section {
  return {
    notes: reports.flatMap((each) => [`${each.resource}: ${each.because}`, ...nextStep(each, given)]),
  }
}

function foldedOf(reports: readonly Verification[], { strata }: Given): Section {
  const texts = groupByText(reports.map(({ resource, because }) => ({ resource, text: because })))
  const writing = reports.some(({ verdict }) => verdict === 'unknown')
    ? [
        `  Next: strata inspect${strata} --etcd-servers URL, or --etcd-snapshot FILE, counts what is stored; strata migrate RESOURCE${strata} finds out by an empty patch to each object`,
      ]
    : []
  return { notes: [...texts.map((each) => `Could not see (-v lists all): ${each}`), ...writing] }
}

function summaryOf(reports: readonly Verification[]): Section {
  const counts = Map.groupBy(reports, ({ verdict }) => verdict)
  const each = [...counts].map(([verdict, some]) => `${some.length} ${verdict}`)
  return { notes: [`${counted(reports.length, 'resource')}: ${each.join(', ')}.`] }
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

function nextStep({ verdict, ...report }: Verification, { strata, kubectl }: Given): readonly string[] {
  const { resource, census, target, undecodable, lackedKeys } = report
  if (lackedKeys !== undefined) {
    return [...lackedKeys.map((each) => `  Next: ${each}`), '  Or ask another server (--context)']
  }
  const isProvable = target?.fenced === true
  if (undecodable !== undefined) {
    const next = undecodableRemedy(report, `"strata migrate ${resource}${strata}"`)
    return [`  No server can decode ${undecodable.join(', ')}. Next: ${next}`]
  }
  if (report.setAside !== undefined) return [`  Next: strata repair ${resource}${kubectl}`]
  if (verdict === 'stale' || (verdict === 'unknown' && isProvable))
    return [`  Next: strata migrate ${resource}${strata}`]
  if (verdict === 'unknown' && census === undefined) {
    return [
      `  Next: strata migrate ${resource}${strata}, which sends each object an empty patch: the server rewrites those that are old`,
    ]
  }
  return []
}
