import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Processes } from '@strata/world'
import { CliError } from '../output/errors.ts'
import { type LockHolder, livingHolder } from './lock-holder.ts'

export type LockOutcome =
  | { readonly kind: 'held'; release(): void }
  /** Held by a live process; `holder` is empty if it is unknown. */
  | { readonly kind: 'busy'; readonly holder: Partial<LockHolder> }
  /** The file is not a lock file of this program. */
  | { readonly kind: 'no lock' }

/** Keeps locked databases reachable: garbage collection would close and so unlock them. */
const held = new Set<DatabaseSync>()

const busyCode = 5
const notDatabaseCode = 26

/**
 * Locks a file for this process with a kernel lock, which SQLite takes because Node has no API for it. The kernel releases it
 * with the process, however that ends. So no process judges whether a holder is dead, and the file is never removed.
 * Otherwise: (1) A and B find the same holder dead; (2) A removes its lock file and creates its own; (3) B removes A's file;
 * (4) C creates its own before B does. Now A and C hold the lock.
 */
export function lockFile(path: string, processes: Processes): LockOutcome {
  const database = tryLock(path)
  const holderPath = `${path}.holder`
  if (database === 'no lock') return { kind: 'no lock' }
  if (database === 'busy') return { kind: 'busy', holder: livingHolder(read(holderPath), processes) }
  held.add(database)
  const release = (): void => {
    // Only once: later the file may belong to another holder.
    if (!held.delete(database)) return
    rmSync(holderPath, { force: true })
    database.close()
  }
  try {
    writeHolder(holderPath, { ...processes.self, hostname: processes.hostname })
  } catch (error) {
    release()
    throw error
  }
  return { kind: 'held', release }
}

/** Never writes to the database: the file stays empty. */
function tryLock(path: string): DatabaseSync | 'busy' | 'no lock' {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { timeout: 0 })
    database.exec('BEGIN IMMEDIATE')
    return database
  } catch (error) {
    database?.close()
    const { errcode } = error as { errcode?: number }
    if (errcode === undefined) throw error
    if ((errcode & 0xff) === busyCode) return 'busy'
    if ((errcode & 0xff) === notDatabaseCode) return 'no lock'
    throw new CliError(`${path} cannot be locked: ${(error as Error).message}`, 1, { cause: error })
  }
}

/** Names the process to stop, for messages. Renames a complete file into place, so that no reader sees half of it. */
function writeHolder(path: string, holder: LockHolder): void {
  const aside = `${path}.new`
  writeFileSync(aside, JSON.stringify(holder), { mode: 0o600 })
  renameSync(aside, path)
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
