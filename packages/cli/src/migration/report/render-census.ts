import { type NamedObject, plainKey, versionNameOf } from '@strata/api'
import { counted, formatCount, groupByText } from '@strata/insight'
import type { Report, Section } from '../../output/report.ts'
import { hintsText, type StoredHints } from '../resources/stored-hints.ts'
import { objectText } from './render-migrations.ts'
import { type Verification, verdictLevels } from './render-verifications.ts'

export interface CensusReport extends Verification {
  /** Where the store could not be read. */
  readonly hints?: StoredHints
}

/**
 * By version and key; a row for what cannot be read; then in words what that means. If all resources are asked about, those
 * that could not be seen are one line for each reason: elsewhere that is every resource.
 */
export function reportCensus(reports: readonly CensusReport[], withRemarks: boolean): Report {
  const isFolded = ({ census, verdict }: CensusReport): boolean =>
    !withRemarks && census === undefined && verdict === 'unknown'
  const folded = reports.filter(isFolded)
  const shown = reports.filter((each) => !isFolded(each))
  const rows = shown.flatMap(rowsOf)
  const remarks = shown.filter(({ verdict }) => withRemarks || verdict !== 'proven').map(remarksOf)
  const details = [{ table: { columns, rows: folded.flatMap(rowsOf) } }, ...folded.map(remarksOf)]
  return {
    command: 'census',
    sections:
      reports.length === 0
        ? []
        : [
            ...(rows.length === 0 ? [] : [{ table: { columns, rows } }]),
            ...remarks,
            ...(folded.length === 0 ? [] : details.map((each) => ({ ...each, isDetail: true }))),
            ...(folded.length === 0 ? [] : [foldedOf(folded)]),
            ...(withRemarks ? [] : [summaryOf(reports)]),
          ],
    results: reports.map(({ resource, verdict, because, census }) => ({
      level: census === undefined && verdict !== 'disagreed' ? 'unknown' : verdictLevels[verdict],
      rule: verdict,
      subject: resource,
      message: because,
    })),
    document: { resources: reports },
  }
}

const columns = ['RESOURCE', 'STORED IN', 'KEY', 'OBJECTS', 'STATE']

function rowsOf({ resource, verdict, census, target }: CensusReport): readonly (readonly string[])[] {
  if (census === undefined) {
    return [[resource, '?', '?', '?', verdict === 'not seen' ? verdict : 'cannot be read here']]
  }
  const agreed = census.agreedVersion ?? target?.encodingVersion
  const rows = census.encodings.map(({ encodingVersion, key, count }) => [
    resource,
    versionNameOf(encodingVersion),
    key ?? (isAboutKeys(census) ? plainText : '-'),
    formatCount(count),
    agreed === undefined ? '-' : stateOf(encodingVersion === agreed, key, census),
  ])
  const unreadable =
    census.unreadable === 0 ? [] : [[resource, '?', '?', formatCount(census.unreadable), 'unreadable']]
  const all = [...rows, ...unreadable]
  return all.length === 0 ? [[resource, '-', '-', '0', '-']] : all
}

/** `key` is left out of what is not encrypted; where something is, or is to be, that has a name too. */
const plainText = `${plainKey} (not encrypted)`

function isAboutKeys({ writeKey, encodings }: NonNullable<CensusReport['census']>): boolean {
  return writeKey !== undefined || encodings.some(({ key }) => key !== undefined)
}

function stateOf(
  isVersion: boolean,
  key: string | undefined,
  census: NonNullable<CensusReport['census']>,
): string {
  if (!isVersion) return 'stale'
  if (key !== census.writeKey) return 'stale key'
  return isAboutKeys(census) ? 'current version and key' : 'current version'
}

function remarksOf(report: CensusReport): Section {
  const { resource, verdict, because, established, target, census, hints } = report
  const notes = [
    `${resource}: ${verdict}: ${because}`,
    ...(established === undefined ? [] : [`  Agreement: ${established}`]),
    ...(hints ? [`  Other hints: ${hintsText(hints)}`] : []),
    ...(hints && target?.how !== 'record' ? [`  Next: ${storeText(` ${resource}`)}`] : []),
    ...(census ? [...objectTexts(census), ...unnamedText(census)] : []),
  ]
  return { notes }
}

/** Where no server counts, etcd itself can be read. */
const storeText = (resource: string): string =>
  `strata inspect${resource} --etcd-servers URL, or --etcd-snapshot FILE, counts what is stored`

function objectTexts(census: NonNullable<CensusReport['census']>): string[] {
  const { objects = [] } = census
  return objects.map((each) => `  ${objectText({ ...each, reason: reasonOf(each, isAboutKeys(census)) })}`)
}

/** How many objects are not listed by name; nothing if the user asked for no names. */
function unnamedText({ stale = 0, unreadable, objects = [] }: NonNullable<CensusReport['census']>): string[] {
  const rest = stale + unreadable - objects.length
  return objects.length > 0 && rest > 0
    ? [`  … and ${formatCount(rest)} more (--names sets how many are listed)`]
    : []
}

function reasonOf({ reason, encodingVersion, key }: NamedObject, isAboutKeys: boolean): string {
  if (encodingVersion === undefined) return reason ?? 'unreadable'
  const under = key ?? (isAboutKeys ? plainText : undefined)
  return `stored in ${encodingVersion}${under === undefined ? '' : ` under ${under}`}`
}

function foldedOf(reports: readonly CensusReport[]): Section {
  const texts = reports.map(({ resource, because }) => ({ resource, text: because }))
  const isElsewhere = reports.every(({ hints, target }) => hints && target?.how !== 'record')
  return {
    notes: [
      ...groupByText(texts).map((each) => `Could not see (-v lists all): ${each}`),
      ...(isElsewhere ? [`  Next: ${storeText('')}`] : []),
    ],
  }
}

function summaryOf(reports: readonly CensusReport[]): Section {
  const proven = reports.filter(({ verdict }) => verdict === 'proven').length
  return {
    notes: [`${proven} of ${counted(reports.length, 'resource')}: proven to be stored as the servers agree.`],
  }
}
