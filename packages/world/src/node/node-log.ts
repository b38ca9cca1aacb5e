import { createLog, type Log, type LogFields, type LogLevel } from '../log.ts'
import { fieldsText, safeJson } from '../log-text.ts'

export interface NodeLogOptions {
  /** The lowest level that is written. */
  readonly level?: LogLevel
  readonly format?: 'text' | 'json'
  /** Takes one finished line, with its line break. */
  readonly write?: (line: string) => void
}

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

function textLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const rest = fieldsText(fields)
  // A message is one line, even if it contains text of another program.
  const oneLine = message.replaceAll(/[\r\n]+/g, ' ')
  return `${time} ${level.toUpperCase()} ${oneLine}${rest === '' ? '' : ` ${rest}`}\n`
}

/** Standard error, because standard output belongs to what a command answers. */
export function createNodeLog(options: NodeLogOptions = {}): Log {
  const { level: threshold = 'info', format = 'text', write = (line) => process.stderr.write(line) } = options
  return createLog((level, message, fields) => {
    if (RANK[level] < RANK[threshold]) return
    const time = new Date().toISOString()
    const line =
      format === 'json'
        ? `${safeJson({ ...fields, time, level, message })}\n`
        : textLine(time, level, message, fields)
    write(line)
  })
}
