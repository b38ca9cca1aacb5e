import type { DatabaseSync } from 'node:sqlite'

/** The log is moved into the database from this many frames on. */
const framesWorthMoving = 2000
/** From this many frames on the log is too long, because there was always a reader at its end. */
const framesTooMany = 32_000

/**
 * Moves the write-ahead log into the database, so that it can start over. Usually no reader waits for that: if one is in the way,
 * the remainder is moved another time. Only a log that has grown long without a moment free of readers makes them wait briefly.
 */
export function tidyLog(database: DatabaseSync): void {
  const { log = 0, checkpointed = 0 } = checkpoint(database, 'NOOP')
  if (log - checkpointed < framesWorthMoving) return
  const moved = checkpoint(database, 'PASSIVE')
  if (moved.log < framesTooMany || moved.checkpointed < moved.log) return
  database.exec('PRAGMA busy_timeout = 50')
  try {
    checkpoint(database, 'TRUNCATE')
  } finally {
    database.exec('PRAGMA busy_timeout = 0')
  }
}

function checkpoint(
  database: DatabaseSync,
  mode: 'NOOP' | 'PASSIVE' | 'TRUNCATE',
): { log: number; checkpointed: number } {
  const { log, checkpointed } = database.prepare(`PRAGMA wal_checkpoint(${mode})`).get() ?? {}
  return { log: Number(log ?? 0), checkpointed: Number(checkpointed ?? 0) }
}
