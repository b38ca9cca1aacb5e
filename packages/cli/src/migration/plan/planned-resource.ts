import type { MigrationTarget } from '@strata/controllers'
import type { RefusalClass } from '@strata/insight'
import type { ExitWord } from '../../output/exit-codes.ts'
import type { DroppedOwnership } from '../run/dropped-ownership.ts'

/** Objects whose write would be refused for one kind of reason. */
export interface RefusedGroup {
  readonly class: RefusalClass
  readonly count: number
  /** The first of them. */
  readonly objects: readonly PlannedObject[]
}

export interface PlannedObject {
  readonly namespace?: string
  readonly name: string
  readonly message: string
}

/** What a migration of one resource would do. */
export interface PlannedResource {
  readonly resource: string
  readonly exit: ExitWord
  readonly because: string
  /** The migration would be bound to it; absent if none could begin. */
  readonly target?: MigrationTarget
  readonly targetText?: string
  readonly total?: number
  /** How many objects are not stored as they would be now, where a census says so. */
  readonly stale?: number
  /** Objects that would be refused. */
  readonly refused: readonly RefusedGroup[]
  /** Objects of which a dry run cannot tell. */
  readonly unknown: readonly RefusedGroup[]
  /** Admission webhooks that are called for updates; absent if they may not be listed. */
  readonly webhooks?: readonly string[]
  /** Objects that would lose all of managedFields; absent if none is known. */
  readonly droppedOwnership?: DroppedOwnership
  /** From the start to the end, if the servers answer as they did in the dry run. */
  readonly etaSeconds?: number
}

export interface MigrationPlan {
  readonly kind: 'MigrationPlan'
  readonly version: 1
  readonly createdAt: string
  /** The uid of the namespace kube-system, else the address. */
  readonly cluster: string
  readonly resources: readonly PlannedResource[]
}

export const countOf = (groups: readonly RefusedGroup[]): number =>
  groups.reduce((sum, { count }) => sum + count, 0)
