import { shownColumns } from './render-text.ts'
import type { Section, Table } from './report.ts'

/** GitHub's Markdown, for pull requests and job summaries. All columns are shown. */
export function renderMarkdown(command: string, sections: readonly Section[]): string {
  const parts = sections.map(({ lead = [], table, notes = [] }) =>
    [...paragraph(lead), ...(table ? [tableOf(table)] : []), ...paragraph(notes)].join('\n\n'),
  )
  return [`## strata ${command}`, ...parts.filter((part) => part !== '')].join('\n\n')
}

function tableOf(table: Table): string {
  const { titles, rows } = shownColumns(table, true)
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(' | ')} |`
  const padded = rows.map((row) => titles.map((_, index) => row[index] ?? ''))
  return [line(titles), `|${titles.map(() => '---|').join('')}`, ...padded.map(line)].join('\n')
}

/** Each line stays a line, and an indented one stays indented. */
function paragraph(lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  const shown = lines.map((line) => {
    const text = line.trimStart()
    return `${'&nbsp;'.repeat(line.length - text.length)}${escapeText(text)}`
  })
  return [shown.join('  \n').trim()]
}

const escapeCell = (text: string): string => escapeText(text).replaceAll('|', '\\|').replaceAll('\n', '<br>')

/** A name with underscores, or a placeholder in angle brackets, must come out as written. */
const escapeText = (text: string): string =>
  text
    .replaceAll(/[\\`*_[\]#~]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
