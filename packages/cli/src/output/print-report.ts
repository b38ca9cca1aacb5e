import type { CliContext } from '../context.ts'
import { printDocument } from './document.ts'
import { renderJunit } from './render-junit.ts'
import { renderMarkdown } from './render-markdown.ts'
import { renderSarif } from './render-sarif.ts'
import { renderText } from './render-text.ts'
import type { Report } from './report.ts'

/** The values of -o. */
export const outputForms = ['table', 'wide', 'json', 'yaml', 'markdown', 'junit', 'sarif'] as const

export type OutputForm = (typeof outputForms)[number]

/** For readers: these may be accompanied by notes on standard output. The others are documents. */
export const isForReaders = (form: string): boolean => form === 'table' || form === 'wide'

/** The flags of every command that reports. */
export interface OutputFlags {
  readonly output: OutputForm
  readonly verbose?: boolean | undefined
}

/** Prints a report on standard output, in the form that the flags name. */
export function printTo(
  { print, world }: Pick<CliContext, 'print' | 'world'>,
  report: Report,
  { output, verbose }: OutputFlags,
): void {
  print(printReport(report, output, { verbose, atMs: world.clock.wallMs() }))
}

export interface PrintOptions {
  /** -v: also the details. */
  readonly verbose?: boolean | undefined
  /** The time of the report, by the wall clock. */
  readonly atMs: number
}

/** Prints a report in one of the forms of -o. docs/reports.md describes them. */
export function printReport(
  report: Report,
  form: OutputForm,
  { verbose = false, atMs }: PrintOptions,
): string {
  const sections = report.sections.filter(({ isDetail = false }) => verbose || !isDetail)
  switch (form) {
    case 'table':
    case 'wide':
      return renderText(sections, form)
    case 'json':
    case 'yaml':
      return printDocument(report.document, form)
    case 'markdown':
      return renderMarkdown(report.command, sections)
    case 'junit':
      return renderJunit(report, atMs)
    case 'sarif':
      return renderSarif(report)
  }
}
