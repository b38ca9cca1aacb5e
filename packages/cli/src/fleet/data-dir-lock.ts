import { join } from 'node:path'
import type { Processes } from '@strata/world'
import { CliError } from '../output/errors.ts'
import type { LockHolder } from '../process/lock-holder.ts'
import { lockFile } from '../process/process-lock.ts'

export interface DataDirLock {
  release(): void
}

/**
 * Allows one `strata up` per data directory. Two would share logs, kubeconfig and server names, and their servers would
 * compete for the same identities.
 */
export function lockDataDir(dataDir: string, processes: Processes): DataDirLock {
  const path = join(dataDir, 'up.lock')
  const lock = lockFile(path, processes)
  if (lock.kind === 'held') return lock
  if (lock.kind === 'busy') throw refusal(lock.holder, processes)
  throw new CliError(`${path} is not a lock of this program: if no fleet runs here, remove it`)
}

function refusal({ pid, bootId, hostname }: Partial<LockHolder>, processes: Processes): CliError {
  // A pid of another container or machine may be that of an unrelated process here.
  const isHere = bootId === processes.self.bootId && bootId !== '' && pid !== undefined
  const stop = isHere ? `stop it (kill ${pid})` : 'stop it'
  const where = isHere || pid === undefined ? '' : `, in another container or on another machine: ${hostname}`
  return new CliError(
    `a fleet already runs here (pid ${pid ?? 'unknown'}${where}): ${stop}, or give another --data-dir`,
  )
}
