import { groupResourceText } from '@strata/api'
import { counted, formatCount } from '@strata/insight'
import type { Report, Result, Section } from '../output/report.ts'
import { couldNotSee } from './could-not-see.ts'
import { type Blocker, decideBlockers } from './decide-blockers.ts'
import { unlistedOf } from './decide-unlisted.ts'
import type { Inspection } from './inspect-cluster.ts'
import type { ResourceFacts, StoredSight } from './resource-facts.ts'
import { blockedVersions, versionsOf } from './versions-of.ts'

export interface InspectForm {
  /** Also resources with one version only. */
  readonly all: boolean
}

/** A table of resources; then what blocks each version, where it was read, and what could not be seen. */
export function reportInspection(inspection: Inspection, { all }: InspectForm): Report {
  const { facts, reading, notSeen } = inspection
  const shown = facts.filter((each) => all || versionsOf(each).length > 1)
  const table = { columns, rows: shown.map(rowOf) }
  return {
    command: 'inspect',
    sections: [
      ...(shown.length === 0 ? [] : [{ table }]),
      { notes: shown.flatMap(detailsOf) },
      { notes: facts.flatMap(unlistedLines) },
      { notes: sourceLines(inspection, facts.length - shown.length) },
      ...unseenSections(couldNotSee(inspection)),
    ],
    overview: table,
    results: [
      ...facts.flatMap(resultsOf),
      ...notSeen.map(
        ({ resource, because }): Result => ({
          ...{ level: 'unknown', rule: 'not-seen', subject: resource, message: because },
        }),
      ),
    ],
    document: {
      ...(reading ? { store: reading } : {}),
      resources: facts.map((each) => ({
        ...each,
        resource: groupResourceText(each),
        versions: versionsOf(each).map((version) => ({ version, blockers: decideBlockers(version, each) })),
      })),
      notSeen,
      couldNotSee: couldNotSee(inspection),
    },
  }
}

const columns = [
  ...['RESOURCE', 'STORAGE', 'STORED', 'SERVED', 'OBJECTS', 'BLOCKED'],
  ...['STOREDVERSIONS', 'SIZE', 'KEYS', 'CONVERSION', 'MANAGERS'].map((wide) => ({ wide })),
]

function rowOf(facts: ResourceFacts): string[] {
  const { storage, served, definition } = facts
  return [
    groupResourceText(facts),
    storage?.version ?? '?',
    storedText(facts.stored),
    served.map(({ version, deprecated }) => `${version}${deprecated ? ' (deprecated)' : ''}`).join(', ') ||
      '-',
    countText(facts),
    blockedVersions(facts).join(', ') || '-',
    definition?.storedVersions.join(', ') || '-',
    sizeText(facts.stored),
    keysText(facts.stored),
    conversionText(facts),
    managersText(facts),
  ]
}

function sourceLines({ reading }: Inspection, hidden: number): string[] {
  const doubt = reading?.isExact === false ? ', not exact' : ''
  return [
    ...(hidden === 0 ? [] : [`${counted(hidden, 'resource')} with one version only (--all lists them)`]),
    ...(reading ? [`Read from ${reading.source}, revision ${reading.revision}${doubt}`] : []),
  ]
}

/** One line always, and a list with -v. */
function unseenSections(texts: readonly string[]): Section[] {
  const [first, ...others] = texts
  if (first === undefined) return []
  const more = others.length === 0 ? '' : `; and ${others.length} more (-v lists them)`
  const list = texts.map((each) => `  ${each}`)
  return [
    { notes: [`Could not see ${first}${more}`] },
    ...(others.length === 0 ? [] : [{ lead: ['Could not see:'], notes: list, isDetail: true }]),
  ]
}

/** A blocker of a version that is not written any more is a warning: it may be meant to stay. */
function resultsOf(facts: ResourceFacts): Result[] {
  const subject = groupResourceText(facts)
  const blockers = blockedVersions(facts).flatMap((version) => decideBlockers(version, facts))
  const results = [
    ...blockers.map(
      ({ kind, text, next }): Result => ({
        ...{ level: 'warning', rule: ruleOf(kind), subject, message: text, fix: next },
      }),
    ),
    ...unlistedOf(facts).map(
      ({ text, next }): Result => ({
        ...{ level: 'warning', rule: 'not-in-storedversions', subject, message: text, fix: next },
      }),
    ),
    ...facts.unseen.map(
      ({ what, because }): Result => ({
        ...{ level: 'unknown', rule: 'could-not-see', subject, message: `${what}: ${because}` },
      }),
    ),
  ]
  const passed: Result = { level: 'passed', rule: 'inspected', subject, message: 'nothing blocks a version' }
  return results.length === 0 ? [passed] : results
}

const ruleOf = (kind: Blocker['kind']): string => kind.toLowerCase().replaceAll(' ', '-')

/** `v1: 3, v2: 1,997`; of what is only possible `v1?, v2?`. */
function storedText(stored: StoredSight): string {
  if (stored.kind === 'possible' && stored.isObservedClean)
    return `${stored.versions.join(', ')} (observed clean)`
  if (stored.kind === 'possible') return stored.versions.map((each) => `${each}?`).join(', ') || 'unknown'
  const byVersion = Map.groupBy(stored.versions, ({ version }) => version)
  const parts = [...byVersion].map(([version, alike]) => `${version}: ${sum(alike)}`)
  if (stored.hidden.length > 0) parts.push(`encrypted: ${sum(stored.hidden)}`)
  if (stored.unreadable > 0) parts.push(`unreadable: ${formatCount(stored.unreadable)}`)
  return `${parts.join(', ') || 'none'}${stored.isExact ? '' : ' (not exact)'}`
}

const sum = (all: readonly { readonly count: number }[]): string =>
  formatCount(all.reduce((total, { count }) => total + count, 0))

function countText({ stored, objects }: ResourceFacts): string {
  if (stored.kind === 'counted') return formatCount(stored.total)
  return objects ? formatCount(objects.count) : '?'
}

const units = ['B', 'KiB', 'MiB', 'GiB']

function sizeText(stored: StoredSight): string {
  if (stored.kind !== 'counted' || stored.bytes === undefined) return '?'
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, stored.bytes)) / 10))
  const value = stored.bytes / 1024 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`
}

/** Encryption keys, by their names in the store. */
function keysText(stored: StoredSight): string {
  if (stored.kind !== 'counted') return '?'
  const keys = [...stored.versions, ...stored.hidden].flatMap(({ key }) => key ?? [])
  return [...new Set(keys)].join(', ') || '-'
}

function conversionText({ definition, conversion = [] }: ResourceFacts): string {
  if (!definition || definition.conversion === 'None') return definition ? 'None' : '-'
  const failing = conversion.filter(({ result }) => result === 'fails').map(({ version }) => version)
  const where = definition.webhook ?? 'webhook'
  if (failing.length > 0) return `${where}: fails for ${failing.join(', ')}`
  return conversion.some(({ result }) => result === 'answers') ? `${where}: answers` : `${where}: not called`
}

function managersText({ objects }: ResourceFacts): string {
  const managers = objects?.managers ?? []
  return (
    managers
      .slice(0, 3)
      .map(({ manager, version }) => `${manager} (${version})`)
      .join(', ') || '-'
  )
}

function detailsOf(facts: ResourceFacts): string[] {
  return blockedVersions(facts).flatMap((version) => [
    `${groupResourceText(facts)}: ${version} cannot be removed yet:`,
    ...blockerLines(decideBlockers(version, facts)),
  ])
}

const unlistedLines = (facts: ResourceFacts): string[] =>
  unlistedOf(facts).flatMap(({ text, next }) => [`${groupResourceText(facts)}: ${text}`, `  Next: ${next}`])

export const blockerLines = (blockers: readonly Blocker[]): string[] =>
  blockers.flatMap(({ text, next, effect }) => [
    `  - ${text}${effect === 'breaks' ? ' (the server allows the removal; this breaks after it)' : ''}`,
    `    Next: ${next}`,
  ])
