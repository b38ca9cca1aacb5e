import { statSync } from 'node:fs'

/** Tells the file at a path from another one that is put in its place; undefined if there is none. */
export function fileIdentity(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}

/** Whether another file stands there, or none. A disk that does not answer (EIO, ESTALE) cannot tell: then it is the same. */
export function isOther(path: string, known: string | undefined, identify = fileIdentity): boolean {
  try {
    return identify(path) !== known
  } catch {
    return false
  }
}

/**
 * An open file goes on living when another one takes its place. Otherwise: an operator restores `store.db` under a server;
 * the server goes on writing to the old file, which nobody can open any more, and all that it acknowledges is lost.
 */
export function fileReplaced(path: string): string {
  return `${path} was replaced or removed while this server had it open: nothing is read from it or written to it any more; stop all servers of this store, put the file in place, and start them again`
}
