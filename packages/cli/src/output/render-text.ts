import type { Section, Table } from './report.ts'
import { formatTable } from './table.ts'

/** Sections as a terminal shows them. */
export function renderText(sections: readonly Section[], form: 'table' | 'wide' = 'table'): string {
  return sections
    .map(({ lead = [], table, notes = [] }) =>
      [...lead, ...(table ? [textOfTable(table, form === 'wide')] : []), ...notes].join('\n'),
    )
    .filter((text) => text !== '')
    .join('\n\n')
}

function textOfTable(table: Table, isWide: boolean): string {
  const { titles, rows } = shownColumns(table, isWide)
  return formatTable(titles, rows)
}

/** The columns of a form, by title. */
export function shownColumns(
  { columns, rows }: Table,
  isWide: boolean,
): { readonly titles: readonly string[]; readonly rows: readonly (readonly string[])[] } {
  const isShown = (index: number): boolean => isWide || typeof columns[index] === 'string'
  return {
    titles: columns
      .filter((_, index) => isShown(index))
      .map((column) => (typeof column === 'string' ? column : column.wide)),
    rows: rows.map((row) => row.filter((_, index) => isShown(index))),
  }
}
