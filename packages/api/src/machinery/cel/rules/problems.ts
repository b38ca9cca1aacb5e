/** What is wrong with an expression, and where in its text. */
export interface Problem {
  readonly offset: number
  readonly message: string
}

const maxProblems = 100
/** Longer lines are not shown. */
const maxSnippetLength = 16_384

/** Problems as upstream shows them: each with its line and a mark below the place. */
export function problemsText(source: string, problems: readonly Problem[]): string {
  const placed = problems.map((problem) => ({ ...problem, ...placeOf(source, problem.offset) }))
  placed.sort((a, b) => a.line - b.line || a.column - b.column)
  const shown = placed.slice(0, maxProblems).map((problem) => problemText(source, problem))
  if (placed.length > maxProblems) shown.push(`${placed.length - maxProblems} more errors were truncated`)
  return shown.join('\n')
}

interface Place {
  /** From 1. */
  readonly line: number
  /** From 0, in characters and not in units of UTF-16. */
  readonly column: number
}

function placeOf(source: string, offset: number): Place {
  if (offset < 0) return { line: -1, column: 0 }
  const before = source.slice(0, offset)
  const start = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: [...before.slice(start)].length }
}

function problemText(source: string, { line, column, message }: Problem & Place): string {
  const header = `ERROR: <input>:${line}:${column + 1}: ${message}`
  const snippet = source.split('\n')[line - 1]
  if (snippet === undefined || snippet.length > maxSnippetLength) return header
  const characters = [...snippet.replaceAll('\t', ' ')]
  const wide = (character: string | undefined): boolean => (character?.codePointAt(0) ?? 0) > 127
  const dots = characters.slice(0, column).map((each) => (wide(each) ? '．' : '.'))
  const mark = wide(characters[column]) ? '＾' : '^'
  return `${header}\n | ${characters.join('')}\n | ${dots.join('')}${mark}`
}
