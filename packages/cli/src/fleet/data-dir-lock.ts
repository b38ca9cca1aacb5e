import { join } from 'node:path'
import type { Processes } from '@strata/world'
import { CliError } from '../errors.ts'
import { type LockHolder, lockFile } from '../process-lock.ts'

export interface DataDirLock {
  release(): void
}

/**
 * Makes one `strata up` the only one of its data directory. Two would share logs, kubeconfig and the names of
 * their servers, and each would fight the other's servers for their identities.
 */
export function lockDataDir(dataDir: string, processes: Processes): DataDirLock {
  const path = join(dataDir, 'up.lock')
  const lock = lockFile(path, processes)
  if (lock.kind === 'held') return lock
  if (lock.kind === 'busy') throw refusal(lock.holder, path, processes)
  throw new CliError(`${path} changes hands all the time: are several fleets being started here?`)
}

function refusal({ pid, bootId }: Partial<LockHolder>, lock: string, processes: Processes): CliError {
  const doubt =
    bootId === processes.self.bootId && bootId !== '' ? '' : ` (if it does not run any more, remove ${lock})`
  return new CliError(
    `a fleet already runs here (pid ${pid ?? 'unknown'}): stop it, or give another --data-dir${doubt}`,
  )
}
