import { counted } from '@strata/insight'
import type { Level, Report, Section, Table } from '../../output/report.ts'
import type { Given } from '../resources/given-flags.ts'
import { nameOf } from './observe-set-aside.ts'
import type { RepairedResource, RepairReport, RepairResult } from './repair-report.ts'
import { savedText } from './saved-text.ts'

/** One row per object; then the ways to mend what is left. */
export function reportRepairs(resources: readonly RepairedResource[], given: Given): Report {
  const objects = resources.flatMap((each) => each.objects)
  const table: Table = {
    columns: ['RESOURCE', 'OBJECT', 'REASON', 'RESULT', { wide: 'RECORD' }],
    rows: objects.map((each) => [
      ...[each.resource, shownName(each), each.reason, each.result, each.record ?? '-'],
    ]),
  }
  return {
    command: 'repair',
    sections: [
      ...(objects.length > 0 ? [{ table }] : []),
      ...objects.filter(isLeft).map((each): Section => ({ notes: objectLines(each) })),
      { notes: [...objects.flatMap(doneLines), ...resources.flatMap((each) => resourceLines(each, given))] },
    ],
    overview: table,
    results: [
      ...objects.map((each) => ({
        ...{ level: levelOf[each.result], rule: each.result.replaceAll(' ', '-') },
        subject: `${each.resource} ${shownName(each)}`,
        message: each.because ?? `${each.reason}: ${each.message}`,
        fix: each.ways.find(({ isRecommended }) => isRecommended)?.command,
      })),
      ...resources.flatMap(({ resource, because }) =>
        because === undefined
          ? []
          : [{ level: 'unknown' as const, rule: 'not-seen', subject: resource, message: because }],
      ),
    ],
    document: { resources },
  }
}

const shownName = ({ namespace, name }: RepairReport): string =>
  nameOf(namespace === undefined ? { name } : { namespace, name })

const isLeft = ({ result }: RepairReport): boolean => levelOf[result] !== 'passed'

const levelOf: Readonly<Record<RepairResult, Level>> = {
  'set aside': 'failed',
  refused: 'failed',
  unknown: 'unknown',
  'not seen': 'unknown',
  mended: 'passed',
  gone: 'passed',
  deleted: 'passed',
  'would be mended': 'passed',
  'would be deleted': 'passed',
}

/** The object, why it is set aside, and its ways. */
export function objectLines(report: RepairReport): readonly string[] {
  const { resource, reason, message, because, ways, saved } = report
  const why = because === undefined || because === `${reason}: ${message}` ? [] : [`  ${because}`]
  return [
    `${resource} ${shownName(report)}: ${reason}${message === '' ? '' : `: ${message}`}`,
    ...why,
    ...(saved === undefined ? [] : [`  ${savedText(saved)}`]),
    ...ways.flatMap(({ kind, text, command, isRecommended }) => [
      `  ${isRecommended ? '→' : ' '} ${kind}: ${isRecommended || kind === 'retry' ? '' : 'or '}${text}`,
      ...(command === undefined ? [] : [`      ${command}`]),
    ]),
  ]
}

const doneLines = (report: RepairReport): readonly string[] =>
  isLeft(report) || report.because === undefined
    ? []
    : [`${report.resource} ${shownName(report)}: ${report.because}`]

function resourceLines(
  { resource, objects, unnamed, because }: RepairedResource,
  given: Given,
): readonly string[] {
  const again = `strata migrate ${resource}${given.strata}`
  if (because !== undefined) return [`${resource}: ${because}`]
  if (unnamed > 0) {
    const more = `${counted(unnamed, 'object')} more ${unnamed === 1 ? 'is' : 'are'} set aside, and the record does not name ${unnamed === 1 ? 'it' : 'them'}`
    return [`${resource}: ${more}: ${again}`]
  }
  if (objects.length === 0) return [`${resource}: nothing is set aside`]
  if (objects.some(isLeft)) return []
  if (objects.some(({ result }) => result.startsWith('would'))) return []
  return [`${resource}: nothing is set aside any more. To prove that everything is current: ${again}`]
}
