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

/** What the screen has room for. A line that wraps, or one too many, would move all others. */
function fit(text: string, { columns, rows }: ScreenSize): string[] {
  const lines = text.split('\n')
  const shown =
    lines.length <= rows
      ? lines
      : [
          ...lines.slice(0, Math.max(0, rows - 1)),
          `… ${lines.length - rows + 1} more lines: make the window larger, or name resources`,
        ]
  return shown.map((line) => (line.length <= columns ? line : `${line.slice(0, Math.max(0, columns - 1))}…`))
}
