// The catalogue of errors, docs/reference/errors.md: `node tools/errors-page.ts` writes its tables of messages anew from
// the sources. A note in the last column stays with its message, also when the message is reworded.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorTexts } from './error-texts.ts'
import { root } from './repository.ts'
import type { SourceFile } from './tidy/source.ts'
import { readRepository } from './tidy.ts'

export const errorsPage = 'docs/reference/errors.md'

/** Marks a table in the page, and names what makes its errors: `<!-- messages: new CliError, mistyped -->`. */
const TABLE = /(<!-- messages: (.*?) -->\n)([\s\S]*?)(<!-- end -->)/g

/** The middle column: its heading, and its value from the second argument of the call that makes the error. */
type Column = readonly [heading: string, value: (second: string, codeOf: CodeOf) => string]
type CodeOf = (word: string) => string | undefined

const COLUMNS: Readonly<Record<string, Column>> = {
  'new CliError': [
    'exit code',
    (second, codeOf) => {
      const codes = (second.match(/[\w.]+/g) ?? []).flatMap((word) => codeOf(word) ?? [])
      return second === '' ? '1' : codes.join(' or ') || '…'
    },
  ],
  mistyped: ['exit code', () => '2'],
  'new InvalidArgumentError': ['exit code', () => '2'],
  'new ConfigurationProblem': [
    'exit code',
    (second) => (/isTransient: true/.test(second) ? '1' : /isTransient/.test(second) ? '1 or 2' : '2'),
  ],
  serviceUnavailable: ['Retry-After', (second) => (/^\d+$/.test(second) ? `${second} s` : '-')],
}

interface Row {
  readonly text: string
  readonly value: string
  readonly note: string
}

export function renderErrorsPage(page: string, files: readonly SourceFile[]): string {
  const sources = files.filter(({ path }) => /^packages\/[^/]+\/src\//.test(path))
  return page.replaceAll(TABLE, (_, begin: string, makers: string, before: string, end: string) => {
    const rows = makers.split(', ').flatMap((maker) =>
      errorTexts(sources, maker).map(({ text, second, path }) => {
        const [, value] = columnOf(maker)
        return { text, value: value(second, (word) => exitCodeOf(word, path, sources)) }
      }),
    )
    const table = withNotes(mergeRows(rows), parseRows(before)).map(
      ({ text, value, note }) => `| ${quote(text)} | ${value} |${note === '' ? '' : ` ${note}`} |`,
    )
    const [heading] = columnOf(makers.split(', ')[0] ?? '')
    return [
      `${begin}| message | ${heading} | meaning, and what to do |`,
      '|---|---|---|',
      ...table,
      end,
    ].join('\n')
  })
}

function columnOf(maker: string): Column {
  const column = COLUMNS[maker]
  if (!column) throw new Error(`tools/errors-page.ts does not know what makes errors by the name ${maker}`)
  return column
}

/** The number behind `2`, `exitCodes.usage` or a constant; undefined if only the running command knows it. */
function exitCodeOf(word: string, path: string, sources: readonly SourceFile[]): string | undefined {
  if (/^\d+$/.test(word)) return word
  const [name = '', property] = word.split('.')
  const find = (pattern: RegExp, isIn: (path: string) => boolean): string | undefined =>
    sources.flatMap((each) => (isIn(each.path) ? (pattern.exec(each.text)?.[1] ?? []) : []))[0]
  if (property !== undefined)
    return find(new RegExp(`^ {2}${property}: (\\d+)`, 'm'), (each) => each.endsWith('/output/exit-codes.ts'))
  return (
    find(new RegExp(`\\bconst ${name} = (\\d+)`), (each) => each === path) ??
    find(new RegExp(`\\bexport const ${name} = (\\d+)`), () => true)
  )
}

/** The same message from several places is one row. A message without words of its own says nothing. */
function mergeRows(rows: readonly Omit<Row, 'note'>[]): readonly Omit<Row, 'note'>[] {
  const byText = Map.groupBy(
    rows.filter(({ text }) => /[a-z]{2}/i.test(text.replaceAll('…', ''))),
    ({ text }) => text,
  )
  return [...byText]
    .map(([text, same]) => ({
      text,
      value: [...new Set(same.map(({ value }) => value))].sort().join(' or '),
    }))
    .sort((a, b) => compare(a.text.replace(/^[… :.]+/, ''), b.text.replace(/^[… :.]+/, '')))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Each message with its note. A message that is new takes the note of the most similar one that is gone. */
function withNotes(rows: readonly Omit<Row, 'note'>[], before: readonly Row[]): readonly Row[] {
  const known = new Map(before.map(({ text, note }) => [text, note]))
  const gone = new Set(before.filter(({ text }) => !rows.some((row) => row.text === text)))
  return rows.map((row) => {
    const note = known.get(row.text)
    if (note !== undefined) return { ...row, note }
    const [nearest] = [...gone].sort((a, b) => similarity(row.text, b.text) - similarity(row.text, a.text))
    if (!nearest || similarity(row.text, nearest.text) < 0.3) return { ...row, note: '' }
    gone.delete(nearest)
    return { ...row, note: nearest.note }
  })
}

/** How many of the words are common, 0 to 1. */
function similarity(a: string, b: string): number {
  const [these, those] = [a, b].map((each) => new Set(each.match(/[\w-]+/g) ?? []))
  if (!these || !those) return 0
  return (2 * these.intersection(those).size) / Math.max(1, these.size + those.size)
}

const parseRows = (table: string): readonly Row[] =>
  table
    .split('\n')
    .slice(2)
    .flatMap((line) => {
      const [, text, value = '', note = ''] = /^\| `+(.*?)`+ \| (.*?) \|(.*)\|$/.exec(line) ?? []
      return text === undefined
        ? []
        : [{ text: text.replaceAll('\\|', '|').trim(), value, note: note.trim() }]
    })

function quote(text: string): string {
  const escaped = text.trim().replaceAll('|', '\\|')
  return escaped.includes('`') ? `\`\` ${escaped} \`\`` : `\`${escaped}\``
}

if (import.meta.main) {
  const path = join(root, errorsPage)
  writeFileSync(path, renderErrorsPage(readFileSync(path, 'utf8'), readRepository()))
}
