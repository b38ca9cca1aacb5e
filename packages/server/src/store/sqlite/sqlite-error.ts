import type { WriteFault } from '../errors.ts'

/** The error of `node:sqlite`. The low byte of its code is the kind of error, the higher ones are details. */
interface SqliteError extends Error {
  readonly errcode: number
}

const BUSY = 5
const LOCKED = 6
const PROTOCOL = 15

/** Another connection holds a lock that is needed. Nothing has happened; a retry may succeed. */
export function isBusy(error: unknown): boolean {
  if (!isSqliteError(error)) return false
  const kind = error.errcode & 0xff
  return kind === BUSY || kind === LOCKED || kind === PROTOCOL
}

/** Faults that prevent writes until an operator acts, by kind of error. */
const faults: ReadonlyMap<number, WriteFault> = new Map([
  [8, 'read-only'],
  [10, 'io-error'],
  [11, 'damaged'],
  [13, 'out-of-space'],
  [14, 'io-error'],
  [26, 'damaged'],
])

const advice: Readonly<Record<WriteFault, string>> = {
  replaced: 'the file was replaced; stop all servers of this store, and start them again',
  'out-of-space': 'the disk that holds the store is full; free space on it, and writing goes on by itself',
  'io-error':
    'the disk that holds the store refuses to be read or written; look for a quota that is used up, a limit on the size of files, a disk that fails',
  'read-only': 'the store may not be written; look at the rights to its files and at how its disk is mounted',
  damaged:
    'the file is damaged; stop all servers of this store, and restore it from a backup (docs/store.md)',
}

export function faultOf(error: unknown): WriteFault | undefined {
  return isSqliteError(error) ? faults.get(error.errcode & 0xff) : undefined
}

/** What happened, and what to do. */
export function explainError(error: unknown): string {
  const fault = faultOf(error)
  return fault === undefined ? describeError(error) : `${describeError(error)}: ${advice[fault]}`
}

export function describeError(error: unknown): string {
  if (isSqliteError(error)) return `${error.message} (SQLite code ${error.errcode})`
  return error instanceof Error ? error.message : String(error)
}

export function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
}
