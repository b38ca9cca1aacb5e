import type { DatabaseSync } from 'node:sqlite'

/** Frames of the log from which it is worth moving them into the database. */
const framesWorthMoving = 2000
/** Frames from which the log has grown too long, because somebody was always reading its end. */
const framesTooMany = 32_000

/**
 * Moves the write-ahead log into the database, so that it can start over. Nobody is made to wait for that:
 * where a reader is in the way, the rest is moved another time. Only a log that has grown long
 * without ever finding a moment without readers is worth making them wait for a moment.
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
