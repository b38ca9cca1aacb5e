/** What `node:sqlite` throws. The code's low byte is the kind of error, the rest says more about it. */
interface SqliteError extends Error {
  readonly errcode: number
}

const BUSY = 5
const LOCKED = 6
const PROTOCOL = 15

/** Somebody else holds a lock that is needed. Nothing has happened; it may work a moment later. */
export function isBusy(error: unknown): boolean {
  if (!isSqliteError(error)) return false
  const kind = error.errcode & 0xff
  return kind === BUSY || kind === LOCKED || kind === PROTOCOL
}

export function describeError(error: unknown): string {
  if (isSqliteError(error)) return `${error.message} (SQLite code ${error.errcode})`
  return error instanceof Error ? error.message : String(error)
}

export function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
}
