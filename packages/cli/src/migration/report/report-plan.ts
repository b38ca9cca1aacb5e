import { namespacedName } from '@strata/api'
import { formatCount, formatSeconds, remedies } from '@strata/insight'
import type { Level, Report, Result, Section } from '../../output/report.ts'
import {
  countOf,
  type MigrationPlan,
  type PlannedResource,
  type RefusedGroup,
} from '../plan/planned-resource.ts'
import { type Given, nothingGiven } from '../resources/given-flags.ts'
import { droppedOwnershipText } from '../run/dropped-ownership.ts'

/** How many objects of a class are shown; the plan has more. */
const shown = 5

const columns = ['RESOURCE', 'PLAN', 'OBJECTS', 'REFUSED', 'UNKNOWN', 'TAKES', 'TARGET']

/** A table of all resources; then what would be refused, by class, with what helps. */
export function reportPlan(
  plan: MigrationPlan,
  path: string | undefined,
  given: Given = nothingGiven,
): Report {
  const rows = plan.resources.map((each) => [
    each.resource,
    wordOf(each),
    each.total === undefined ? '-' : formatCount(each.total),
    formatCount(countOf(each.refused)),
    formatCount(countOf(each.unknown)),
    each.etaSeconds === undefined ? '-' : `about ${formatSeconds(each.etaSeconds)}`,
    each.targetText ?? '-',
  ])
  const remarkable = plan.resources.filter(
    ({ exit, droppedOwnership }) =>
      plan.resources.length === 1 || exit !== 'rehearsed' || droppedOwnership !== undefined,
  )
  const next =
    path === undefined ? [] : [`The plan is in ${path}. Next: strata migrate --plan ${path}${given.strata}`]
  return {
    command: 'plan',
    sections: [
      ...(rows.length === 0 ? [] : [{ table: { columns, rows } }]),
      ...remarkable.map((each) => remarks(each, given)),
      ...(next.length === 0 ? [] : [{ notes: next }]),
    ],
    results: plan.resources.map(resultOf),
    document: plan,
  }
}

function wordOf({ exit, stale }: PlannedResource): string {
  if (exit === 'rehearsed') return stale === 0 ? 'nothing to do' : 'ready'
  if (exit === 'incomplete') return 'refusals'
  if (exit === 'aborted') return 'no agreement'
  return exit === 'notSeen' ? 'not possible' : exit
}

function remarks(
  { resource, because, refused, unknown, stale, droppedOwnership }: PlannedResource,
  given: Given,
): Section {
  const counted = stale === undefined || stale === 0
  return {
    notes: [
      `${resource}: ${because}`,
      ...(counted ? [] : [`  ${formatCount(stale)} would be rewritten, by a census of the store`]),
      ...[...refused, ...unknown].flatMap(groupLines),
      ...(droppedOwnership ? [`  ${droppedOwnershipText(resource, droppedOwnership, given.strata)}`] : []),
    ],
  }
}

export function groupLines({ class: of, count, objects }: RefusedGroup): readonly string[] {
  const rest = count - Math.min(shown, objects.length)
  return [
    `  ${of}: ${formatCount(count)}; ${remedies[of]}`,
    ...objects.slice(0, shown).map((each) => `    ${namespacedName(each)}: ${each.message}`),
    ...(rest > 0 ? [`    … and ${formatCount(rest)} more`] : []),
  ]
}

const levels: Readonly<Partial<Record<PlannedResource['exit'], Level>>> = {
  rehearsed: 'passed',
  unknown: 'unknown',
}

function resultOf(planned: PlannedResource): Result {
  const { exit, resource, because, refused, unknown } = planned
  const groups = [...refused, ...unknown]
  return {
    ...{ level: levels[exit] ?? 'failed', rule: wordOf(planned).replaceAll(' ', '-'), subject: resource },
    message: [because, ...groups.flatMap(groupLines)].join('\n'),
    ...(groups.length === 0 ? {} : { fix: groups.map((each) => remedies[each.class]).join('\n') }),
  }
}
