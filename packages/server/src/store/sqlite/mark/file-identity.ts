import { statSync } from 'node:fs'

/** Distinguishes the file at a path from a replacement; undefined if there is none. */
export function fileIdentity(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}

/** Whether the path holds another file, or none. A disk that does not answer (EIO, ESTALE) counts as the same file. */
export function isOther(path: string, known: string | undefined, identify = fileIdentity): boolean {
  try {
    return identify(path) !== known
  } catch {
    return false
  }
}

/**
 * The error for a replaced file. An open file lives on when another one takes its place. Otherwise:
 *
 * 1. An operator restores `store.db` under a running server.
 * 2. The server keeps writing to the old file, which no process can open any more.
 * 3. Everything that the server acknowledges is lost.
 */
export function fileReplaced(path: string): string {
  return `${path} was replaced or removed while this server had it open: nothing is read from it or written to it any more; stop all servers of this store, put the file in place, and start them again`
}
