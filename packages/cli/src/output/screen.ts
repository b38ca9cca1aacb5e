/** The terminal of a command. */
export interface Screen {
  size(): ScreenSize
  write(text: string): void
}

export interface ScreenSize {
  readonly columns: number
  readonly rows: number
}

// The alternate screen: the terminal shows its earlier content again afterwards. Without a cursor.
export const enterScreen = '\u001b[?1049h\u001b[?25l'
export const leaveScreen = '\u001b[?25h\u001b[?1049l'
const home = '\u001b[H'
const clearToEndOfLine = '\u001b[K'
const clearBelow = '\u001b[J'

/** Overwrites the screen line by line instead of clearing it, so that it does not flicker. */
export function redraw(text: string, size: ScreenSize): string {
  const lines = fit(text, size).map((line) => `${line}${clearToEndOfLine}`)
  return `${home}${lines.join('\r\n')}${clearBelow}`
}

/** The lines that fit. A line that wraps, or one line too many, would move all others. */
function fit(text: string, size: ScreenSize): string[] {
  // A terminal of unknown size reports 0.
  const columns = size.columns || 80
  const rows = size.rows || 24
  const lines = text.split('\n').flatMap((line) => fold(line, columns))
  if (lines.length <= rows) return lines
  const more = `… ${lines.length - rows + 1} more lines: make the window larger, or name resources`
  return [...lines.slice(0, Math.max(0, rows - 1)), more.slice(0, columns)]
}

/** Cuts the rows of a table, to keep the columns aligned; wraps sentences. */
function fold(line: string, columns: number): string[] {
  if (line.length <= columns) return [line]
  const isRow = /\S {3,}\S/.test(line)
  if (isRow) return [`${line.slice(0, Math.max(0, columns - 1))}…`]
  const space = line.lastIndexOf(' ', columns)
  const end = space > indent.length ? space : columns
  return [
    line.slice(0, end),
    ...fold(`${indent}${line.slice(end).trimStart()}`, Math.max(columns, indent.length + 1)),
  ]
}

const indent = '    '
