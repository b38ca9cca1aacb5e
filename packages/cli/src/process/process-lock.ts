import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Processes } from '@strata/world'
import { CliError } from '../output/errors.ts'
import { type LockHolder, livingHolder } from './lock-holder.ts'

export type LockOutcome =
  | { readonly kind: 'held'; release(): void }
  /** By a process that lives; nobody is named where it is not known who. */
  | { readonly kind: 'busy'; readonly holder: Partial<LockHolder> }
  /** What lies there was not made by this program, or by one that locked otherwise. */
  | { readonly kind: 'no lock' }

/** What the garbage collector closed would be unlocked by that. */
const held = new Set<DatabaseSync>()

const busyCode = 5
const notDatabaseCode = 26

/**
 * A file that one process holds at a time, by a lock of the kernel (which SQLite takes, for Node has no name for it): it is
 * gone with its holder, whatever ends that. So nobody ever has to judge whether a holder is dead, and the file is never
 * removed. Otherwise: two find the same holder dead; the first removes its lock and makes one of its own; the second removes
 * that one, and before it can put it back a third makes its own. Then the first and the third hold it.
 */
export function lockFile(path: string, processes: Processes): LockOutcome {
  const database = tryLock(path)
  const told = `${path}.holder`
  if (database === 'no lock') return { kind: 'no lock' }
  if (database === 'busy') return { kind: 'busy', holder: livingHolder(read(told), processes) }
  held.add(database)
  const release = (): void => {
    // Once: by a second time the words may be another's.
    if (!held.delete(database)) return
    rmSync(told, { force: true })
    database.close()
  }
  try {
    tell(told, { ...processes.self, hostname: processes.hostname })
  } catch (error) {
    release()
    throw error
  }
  return { kind: 'held', release }
}

/** Nothing is ever written there: the file stays empty. */
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

/** For people, who want to know whom to stop. Under another name first, so that nobody reads half of it. */
function tell(path: string, holder: LockHolder): void {
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
