import { chmodSync, closeSync, openSync, statSync } from 'node:fs'

/** The mode that SQLite gives a new file by default. */
const defaultMode = 0o644
const privateMode = 0o600

/**
 * Only the user who runs the servers may read the store. SQLite copies the mode of the database to the files beside it, so
 * creating the database is enough. Earlier releases left SQLite's default mode: 0644 becomes 0600. Any other mode stays.
 */
export function keepPrivate(path: string): void {
  closeSync(openSync(path, 'a', privateMode))
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode
    if (mode !== undefined && (mode & 0o777) === defaultMode) chmodSync(file, privateMode)
  }
}
