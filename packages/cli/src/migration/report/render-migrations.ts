import { namespacedName } from '@strata/api'
import { counted, formatCount } from '@strata/insight'
import { nothingServed } from '../../output/exit-codes.ts'
import type { Level, Report, Result, Section } from '../../output/report.ts'
import { lostVersionOf, wayBack } from '../evidence/lost-version.ts'
import { type Given, nothingGiven } from '../resources/given-flags.ts'
import { inTreeLines } from './in-tree-lines.ts'
import type { MigrationReport, Quarantined } from './migration-report.ts'

/** How many of those set aside are shown; -o json has the first hundred. */
const shown = 10

/** A table of all migrations; then quarantined objects with their reasons, and the next step. */
export function reportMigrations(all: readonly MigrationReport[], given: Given = nothingGiven): Report {
  const reports = all.filter(({ outcome }) => outcome !== 'skipped')
  const counts = (value: number | undefined): string => (value === undefined ? '-' : formatCount(value))
  const rows = reports.map((each) => [
    each.resource,
    resultText(each),
    counts(each.total),
    counts(each.outcome === 'rehearsed' ? undefined : each.migrated),
    counts(each.outcome === 'rehearsed' ? currentNow(each) : each.alreadyCurrent),
    counts(each.quarantined),
    each.target ?? '-',
  ])
  // With several reports, those that ended well get no remark.
  const isFine = ({ exit, stale = 0 }: MigrationReport): boolean =>
    exit === 'proven' || (exit === 'rehearsed' && stale === 0)
  const remarkable = reports.filter((each) => reports.length === 1 || !isFine(each))
  return {
    command: 'migrate',
    sections: [
      ...(rows.length === 0 ? [] : [{ table: { columns, rows } }]),
      ...alike(remarkable).map((each) => remarks(each, given)),
      ...rehearsalSummary(reports),
      ...skippedSummary(all.length - reports.length),
    ],
    results: all.map((each) => resultOf(each, nextSteps(each, given))),
    document: { resources: all },
  }
}

const columns = ['RESOURCE', 'RESULT', 'OBJECTS', 'MIGRATED', 'CURRENT', 'SET ASIDE', 'TARGET']

const exitLevels: Readonly<Partial<Record<MigrationReport['exit'], Level>>> = {
  proven: 'passed',
  rehearsed: 'passed',
  observedClean: 'warning',
  unknown: 'unknown',
}

function resultOf(report: MigrationReport, next: readonly string[]): Result {
  const { exit, resource, because, quarantine } = report
  return {
    ...{ level: exitLevels[exit] ?? 'failed', rule: resultText(report), subject: resource },
    message: [because, ...quarantine.slice(0, shown).map(objectText), ...inTreeLines(report)].join('\n'),
    ...(next.length === 0 ? {} : { fix: next.join('\n') }),
  }
}

/** What --all left alone. */
function skippedSummary(count: number): readonly Section[] {
  if (count === 0) return []
  const what = counted(count, 'custom resource')
  const text = `${what} left alone: the CRD lists no other stored version. After a change of encryption keys, add --include-current.`
  return [{ notes: [text] }]
}

/** A dry run knows from a census how many objects are current. */
const currentNow = ({ total, stale }: MigrationReport): number | undefined =>
  total === undefined || stale === undefined ? undefined : Math.max(0, total - stale)

/** How much a migration of several resources would rewrite. */
function rehearsalSummary(reports: readonly MigrationReport[]): readonly Section[] {
  const rehearsed = reports.filter(({ outcome }) => outcome === 'rehearsed')
  if (reports.length === 1 || rehearsed.length === 0) return []
  const known = rehearsed.filter(({ stale }) => stale !== undefined)
  const sum = (of: 'stale' | 'total'): string =>
    formatCount(known.reduce((before, each) => before + (each[of] ?? 0), 0))
  const unknown = rehearsed.length - known.length
  const others = unknown === 0 ? '' : `; for ${counted(unknown, 'resource')} the number is unknown`
  const text =
    known.length === 0
      ? 'How many objects would be rewritten is unknown: the store could not be counted'
      : `${sum('stale')} of ${sum('total')} objects in ${counted(known.length, 'resource')} would be rewritten${others}`
  return [{ notes: [text] }]
}

/** A reason that kept several migrations from starting is printed once: --all would repeat it for every resource. */
function alike(reports: readonly MigrationReport[]): readonly MigrationReport[] {
  const nameless = ({ because, resource }: MigrationReport): string => because.replaceAll(resource, '…')
  const groups = Map.groupBy(reports, (each) =>
    each.outcome === 'failed' && each.target === undefined ? nameless(each) : each,
  )
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return first ?? []
    const resource = [first, ...others].map((each) => each.resource).join(' ')
    return { ...first, resource, because: nameless(first) }
  })
}

/** --all skips resources without a published storage version. If it skips all of them, a script must not continue. */
export function nothingMigrated(found: number): string {
  if (found === 0) return nothingServed
  return `nothing was migrated: --all skips resources whose storage version is not published, and none of ${counted(found, 'resource')} publishes it; name those that are to be rewritten anyway`
}

function resultText({ outcome, proof }: MigrationReport): string {
  if (outcome === 'succeeded') return proof === 'unknown' ? 'done, unknown' : proof
  if (outcome === 'requested') return 'requested'
  return outcome === 'paused' ? 'stopped' : outcome
}

function remarks(report: MigrationReport, given: Given): Section {
  const { resource, because, quarantine, quarantined, handOver, outcome, stale, established } = report
  const rest = quarantined - Math.min(quarantine.length, shown)
  const notes = [
    `${resource.replaceAll(' ', ', ')}: ${because}`,
    // What is proven says it itself.
    ...(established === undefined || report.proof === 'proven' ? [] : [`  API servers: ${established}`]),
    ...(stale === undefined ? [] : [`  ${formatCount(stale)} would be rewritten, by a census of the store`]),
    ...quarantine.slice(0, shown).map((each) => `  ${objectText(each)}`),
    ...(rest > 0 ? [`  … and ${formatCount(rest)} more (-o json lists the first hundred)`] : []),
    ...inTreeLines(report).map((each) => `  ${each}`),
    ...nextSteps(report, given).map((each) => `  ${each}`),
    ...(handOver !== undefined && outcome !== 'aborted' && lostVersionOf(because) === undefined
      ? [`  Or let the controllers resume it: ${handOver}${given.kubectl}`]
      : []),
  ]
  return { notes }
}

export function objectText({ reason, message, ...object }: Quarantined): string {
  return `${namespacedName(object)}: ${reason}${message ? `: ${message}` : ''}`
}

function nextSteps(report: MigrationReport, given: Given): readonly string[] {
  const { outcome, resource, because, quarantined, controllersAtWork, target, migrated, record, inTree } =
    report
  const again = `strata migrate ${resource}${given.strata}`
  if (outcome === 'incomplete' && quarantined > 0) {
    return [
      `All others are done. The ways to mend these: strata repair ${resource}${given.kubectl}`,
      `Then run it again: ${again}`,
    ]
  }
  if (outcome === 'incomplete' || outcome === 'aborted')
    return [`Run it again when that is settled: ${again}`]
  const lost = outcome === 'failed' ? lostVersionOf(because) : undefined
  if (lost !== undefined) return [`No migration can read these objects: ${wayBack(lost, resource)}`]
  // Without a target nothing was begun; a migration of upstream's that has ended is never resumed.
  if (outcome === 'failed' && (target === undefined || inTree !== undefined))
    return [`Run it again when that is fixed: ${again}`]
  if (outcome === 'paused' || outcome === 'failed') {
    // Begun, and not recorded.
    const isAnew = migrated !== undefined && record === undefined
    return [`${isAnew ? 'Run it again, from the beginning' : 'Resume it where it stopped'}: ${again}`]
  }
  if (controllersAtWork === false)
    return [`Start them: strata controllers${given.controllers}`, `Or do it here: ${again}`]
  return []
}
