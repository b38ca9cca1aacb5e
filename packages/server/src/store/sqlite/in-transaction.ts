import type { DatabaseSync } from 'node:sqlite'

/** Commits all of it, or nothing. */
export function inTransaction(database: DatabaseSync, act: () => void): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    act()
    database.exec('COMMIT')
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
