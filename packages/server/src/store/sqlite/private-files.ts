import { chmodSync, closeSync, openSync, statSync } from 'node:fs'

/** What SQLite gives a new file, where the process does not say otherwise. */
const defaultMode = 0o644
const privateMode = 0o600

/**
 * Only the user who runs the servers may read the store. SQLite gives the files beside the database its mode, so that it is
 * enough to create the database. Files of earlier releases are changed; a mode that somebody chose is left alone.
 */
export function keepPrivate(path: string): void {
  closeSync(openSync(path, 'a', privateMode))
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode
    if (mode !== undefined && (mode & 0o777) === defaultMode) chmodSync(file, privateMode)
  }
}
