import { formatTable } from '../output/table.ts'
import type { MigrationReport, SetAside } from './migration-report.ts'
import { formatCount } from './shown-progress.ts'

/** How many of those set aside are shown; -o json has the first hundred. */
const shown = 10

/** What became of each, who was set aside and why, and what to do next. */
export function renderMigrations(reports: readonly MigrationReport[]): string {
  const counts = (value: number | undefined): string => (value === undefined ? '-' : formatCount(value))
  const table = formatTable(
    ['RESOURCE', 'RESULT', 'OBJECTS', 'MIGRATED', 'CURRENT', 'SET ASIDE', 'TARGET'],
    reports.map((each) => [
      each.resource,
      resultText(each),
      counts(each.total),
      counts(each.outcome === 'rehearsed' ? undefined : each.migrated),
      counts(each.outcome === 'rehearsed' ? undefined : each.alreadyCurrent),
      counts(each.quarantined),
      each.target ?? '-',
    ]),
  )
  // Of many, those that are as they should be need no words.
  const told = reports.filter(({ exit }) => reports.length === 1 || exit !== 'proven')
  return [table, ...told.flatMap(remarks)].join('\n')
}

function resultText({ outcome, proof }: MigrationReport): string {
  if (outcome === 'succeeded') return proof === 'unknown' ? 'done, unknown' : proof
  if (outcome === 'requested') return 'asked for'
  return outcome === 'paused' ? 'stopped' : outcome
}

function remarks(report: MigrationReport): readonly string[] {
  const { resource, because, quarantine, quarantined, handOver, outcome, stale } = report
  const rest = quarantined - Math.min(quarantine.length, shown)
  return [
    '',
    `${resource}: ${because}`,
    ...(stale === undefined ? [] : [`  ${formatCount(stale)} would be written, as the store says`]),
    ...quarantine.slice(0, shown).map((each) => `  ${objectText(each)}`),
    ...(rest > 0 ? [`  … and ${formatCount(rest)} more (-o json lists the first hundred)`] : []),
    ...nextSteps(report).map((each) => `  ${each}`),
    ...(handOver !== undefined && outcome !== 'aborted'
      ? [`  Or have the controllers go on: ${handOver}`]
      : []),
  ]
}

export function objectText({ namespace, name, reason, message }: SetAside): string {
  const where = namespace === undefined ? name : `${namespace}/${name}`
  return `${where}: ${reason}${message ? `: ${message}` : ''}`
}

function nextSteps({
  outcome,
  resource,
  quarantined,
  controllersAtWork,
  target,
}: MigrationReport): readonly string[] {
  const again = `strata migrate ${resource}`
  if (outcome === 'incomplete' && quarantined > 0) {
    return [`All others are done. Mend these, or delete them, then run it again: ${again}`]
  }
  if (outcome === 'incomplete' || outcome === 'aborted')
    return [`Run it again when that is settled: ${again}`]
  // Without a target nothing was begun.
  if (outcome === 'failed' && target === undefined) return [`Then run it again: ${again}`]
  if (outcome === 'paused' || outcome === 'failed') return [`Go on where it stopped: ${again}`]
  if (controllersAtWork === false) return ['Start them: strata controllers', `Or do it here: ${again}`]
  return []
}
