import type { CliContext } from '../../context.ts'
import type { PruneOptions } from '../../migration/evidence/prune-definition.ts'
import type { Cluster } from '../../migration/resources/cluster.ts'

export interface UpgradeOptions {
  readonly accept: PruneOptions['accept']
  readonly acceptLoss: readonly string[]
  readonly dryRun: boolean
  readonly back: boolean
  readonly forceConflicts: boolean
  readonly output: string
  readonly concurrency: number
}

/** What a command that is named as the next one needs, to accept what this one accepts; empty if that is the default. */
export function acceptFlag(accept: UpgradeOptions['accept']): string {
  return accept === 'proven' ? '' : ` --accept ${accept.replace(' ', '-')}`
}

/** What every part of an upgrade needs. */
export interface UpgradeSession {
  readonly cluster: Cluster
  readonly context: CliContext
  readonly options: UpgradeOptions
  /** Where originals are kept, for this user and cluster. */
  readonly directory: string
}
