export type LogFields = Readonly<Record<string, unknown>>
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** One line per call; `fields` are for machines, the message for people. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** The same log with fields added to every line. */
  with(fields: LogFields): Log
}

/** Builds a log over one function that takes finished records. */
export function createLog(
  write: (level: LogLevel, message: string, fields: LogFields) => void,
  base: LogFields = {},
): Log {
  const at =
    (level: LogLevel) =>
    (message: string, fields?: LogFields): void =>
      write(level, message, fields ? { ...base, ...fields } : base)
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => createLog(write, { ...base, ...fields }),
  }
}

export const silentLog: Log = createLog(() => {})
