import { counted } from '@strata/insight'
import { worstCode } from '../output/exit-codes.ts'
import type { Column, Report, Result, Section } from '../output/report.ts'

/** What a command found in one cluster. */
export interface Outcome {
  readonly report: Report
  readonly exit: number
}

/** The same for one of several clusters. `unseen`: why there is no report. */
export type ClusterOutcome = { readonly label: string } & (
  | Outcome
  | { readonly unseen: string; readonly exit: number }
)

/** One report about several clusters: a row for each with a column CONTEXT, then what is not fine, and one summary. */
export function mergeReports(command: string, outcomes: readonly ClusterOutcome[]): Outcome {
  const exit = worstCode(outcomes.map((each) => each.exit))
  const columns = columnsOf(outcomes)
  const rows = outcomes.flatMap((each) => rowsOf(each, columns.length).map((row) => [each.label, ...row]))
  const report = {
    command,
    sections: [
      { table: { columns: ['CONTEXT', ...columns], rows } },
      ...remarksOf(outcomes),
      { notes: [summaryOf(outcomes)] },
    ],
    results: outcomes.flatMap((each) =>
      resultsOf(each).map((result) => ({ ...result, subject: `${each.label}/${result.subject}` })),
    ),
    document: { contexts: outcomes.map(documentOf) },
  }
  return { report, exit }
}

function columnsOf(outcomes: readonly ClusterOutcome[]): readonly Column[] {
  const tables = outcomes.map((each) => ('report' in each ? tableOf(each.report) : undefined))
  return tables.find((table) => table !== undefined)?.columns ?? ['RESULT']
}

const tableOf = ({ overview, sections }: Report) =>
  overview ?? sections.find(({ table }) => table !== undefined)?.table

/** A cluster without rows has one too: it was asked. */
function rowsOf(outcome: ClusterOutcome, width: number): readonly (readonly string[])[] {
  const filled = (text: string): readonly string[] => [
    text,
    ...Array<string>(Math.max(0, width - 1)).fill('-'),
  ]
  if (!('report' in outcome)) return [filled('not seen')]
  const rows = tableOf(outcome.report)?.rows ?? []
  return rows.length > 0 ? rows : [filled(outcome.exit === 0 ? 'nothing to report' : '-')]
}

function resultsOf(outcome: ClusterOutcome): readonly Result[] {
  if ('report' in outcome) return outcome.report.results
  return [{ level: 'unknown', rule: 'not-seen', subject: 'cluster', message: outcome.unseen }]
}

function remarksOf(outcomes: readonly ClusterOutcome[]): readonly Section[] {
  const notes = outcomes.flatMap((each) =>
    resultsOf(each)
      .filter(({ level }) => level !== 'passed' && level !== 'note')
      .flatMap(({ subject, message, fix }) => [
        `${each.label}: ${'report' in each ? `${subject}: ` : 'not seen: '}${message.replaceAll('\n', '\n  ')}`,
        ...(fix === undefined ? [] : [`  Next: ${fix.replaceAll('\n', '\n  ')}`]),
      ]),
  )
  return notes.length === 0 ? [] : [{ notes: notes.flatMap((note) => note.split('\n')) }]
}

function summaryOf(outcomes: readonly ClusterOutcome[]): string {
  const fine = outcomes.filter(({ exit }) => exit === 0).length
  const unseen = outcomes.filter((each) => !('report' in each)).length
  const seen = unseen === 0 ? '' : `, and ${unseen} ${unseen === 1 ? 'was' : 'were'} not seen`
  return `${fine} of ${counted(outcomes.length, 'cluster')} ended with exit code 0${seen}.`
}

function documentOf(outcome: ClusterOutcome): object {
  const { label: context, exit } = outcome
  return 'report' in outcome
    ? { context, exitCode: exit, ...outcome.report.document }
    : { context, exitCode: exit, unseen: outcome.unseen }
}
