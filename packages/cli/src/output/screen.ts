/** A terminal, as far as we use one. */
export interface Screen {
  size(): ScreenSize
  write(text: string): void
}

export interface ScreenSize {
  readonly columns: number
  readonly rows: number
}

// A screen of its own, so that what was there before comes back afterwards; the cursor would only blink in it.
export const enterScreen = '\u001b[?1049h\u001b[?25l'
export const leaveScreen = '\u001b[?25h\u001b[?1049l'
const home = '\u001b[H'
const clearToEndOfLine = '\u001b[K'
const clearBelow = '\u001b[J'

/** Over what is there, line by line and not cleared before: so it does not flicker. */
export function redraw(text: string, size: ScreenSize): string {
  const lines = fit(text, size).map((line) => `${line}${clearToEndOfLine}`)
  return `${home}${lines.join('\r\n')}${clearBelow}`
}

/** What the screen has room for. A line that wraps by itself, or one too many, would move all others. */
function fit(text: string, size: ScreenSize): string[] {
  // A terminal that nobody has told its size says 0.
  const columns = size.columns || 80
  const rows = size.rows || 24
  const lines = text.split('\n').flatMap((line) => fold(line, columns))
  if (lines.length <= rows) return lines
  const more = `… ${lines.length - rows + 1} more lines: make the window larger, or name resources`
  return [...lines.slice(0, Math.max(0, rows - 1)), more.slice(0, columns)]
}

/** Rows of a table are cut, for their columns have to stand below each other; sentences go on below. */
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
