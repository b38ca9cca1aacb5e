import { counted } from '@strata/insight'
import type { Level, Report, Section, Table } from '../output/report.ts'
import { formatTable } from '../output/table.ts'
import type { CleanReport, ObjectFailure } from './clean-report.ts'
import type { Ownership } from './ownership.ts'
import { commandName } from './plan-clean.ts'

/** What will disappear, shown before the first write. */
export function renderLosses(
  seen: readonly Pick<CleanReport, 'definition' | 'affected' | 'objects' | 'ownership'>[],
): string {
  return seen
    .map(({ definition, affected = 0, objects = 0, ownership = [] }) =>
      [
        `${definition}: ${affected} of ${counted(objects, 'object')} ${affected === 1 ? 'names' : 'name'} a dead version in managedFields.`,
        'This ownership disappears (no other field changes):',
        ...formatTable(ownerColumns, ownership.map(ownerRow))
          .split('\n')
          .map((line) => `  ${line}`),
        ...(ownership.some(({ operation }) => operation === 'Apply') ? [applyNote] : []),
      ].join('\n'),
    )
    .join('\n\n')
}

const applyNote =
  'These managers own their fields again from their next apply. A field that such an apply leaves out stays in the object.'

/** One row per CRD; then whose ownership it is, why, and the objects that are left. */
export function reportClean(reports: readonly CleanReport[]): Report {
  const table: Table = {
    columns: ['CRD', 'RESULT', 'OBJECTS', 'AFFECTED', 'CLEANED', 'LEFT'],
    rows: reports.map((each) => [
      ...[each.definition, each.result, cell(each.objects), cell(each.affected), cell(each.cleaned)],
      cell(each.failures?.length),
    ]),
  }
  return {
    command: commandName,
    sections: [
      { table },
      ...reports.flatMap(ownershipSection),
      { notes: reports.flatMap(reasons) },
      ...reports.flatMap(({ failures = [] }): Section[] =>
        failures.length > shownFailures
          ? [{ isDetail: true, notes: failures.slice(shownFailures).map(failureText) }]
          : [],
      ),
    ],
    overview: table,
    results: reports.flatMap(({ definition, result, because, next, failures = [] }) => [
      ...[{ level: levelOf[result], rule: result, subject: definition, message: because, fix: next }],
      ...failures.map((each) => ({
        ...{ level: each.result, rule: `object-${each.result}`, message: each.because },
        subject: `${definition} ${each.object}`,
      })),
    ]),
    document: { definitions: reports },
  }
}

const ownerColumns = ['VERSION', 'MANAGER', 'OPERATION', 'SUBRESOURCE', 'OBJECTS']

const ownerRow = ({ version, manager, operation, subresource, objects }: Ownership): string[] => [
  ...[version, manager || '-', operation || '-', subresource || '-', String(objects)],
]

const ownershipSection = ({ definition, result, ownership = [] }: CleanReport): Section[] =>
  ownership.length === 0
    ? []
    : [
        {
          lead: [
            `${definition}: ${result === 'cleaned' ? 'whose entries were removed' : 'whose entries name a dead version'}`,
          ],
          table: { columns: ownerColumns, rows: ownership.map(ownerRow) },
        },
      ]

const cell = (count: number | undefined): string => (count === undefined ? '-' : String(count))

const levelOf: Readonly<Record<CleanReport['result'], Level>> = {
  cleaned: 'passed',
  'would be cleaned': 'passed',
  'nothing to clean': 'passed',
  refused: 'failed',
  incomplete: 'failed',
  declined: 'failed',
  stopped: 'unknown',
  'not seen': 'unknown',
}

const shownFailures = 10

function reasons({ definition, because, failures = [], next }: CleanReport): string[] {
  const more = failures.length - shownFailures
  return [
    `${definition}: ${because}`,
    ...failures.slice(0, shownFailures).map(failureText),
    ...(more > 0 ? [`  and ${counted(more, 'object')} more: -v names all`] : []),
    ...(next === undefined ? [] : [`  Next: ${next}`]),
  ]
}

const failureText = ({ object, result, because }: ObjectFailure): string =>
  `  ${object}: ${result === 'unknown' ? 'the outcome is unknown: ' : ''}${because}`
