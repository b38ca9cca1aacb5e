import type { Lease, StorageAgreement, StorageState } from '@strata/api'
import type { MigrationObject, Unseen } from '@strata/insight'

/** `waiting`: no answer yet. `refused`: this user may not read it. `absent`: the cluster does not serve the kind. */
export type Sight = 'waiting' | 'seen' | 'refused' | 'absent'

/** The objects of one kind. What was seen before a refusal stays. */
export interface Seen<T> {
  readonly sight: Sight
  readonly objects: readonly T[]
}

/** The objects of each kind that the page watches. */
export interface ObservedKinds {
  readonly records: StorageAgreement
  readonly leases: Lease
  readonly states: StorageState
  /** StorageVersionMigrations of `migration.k8s.io`. */
  readonly versioned: MigrationObject
  /** StorageVersionMigrations of `storagemigration.k8s.io`. */
  readonly plain: MigrationObject
}

export type KindName = keyof ObservedKinds

/** All that the page knows at one moment. It never changes: each change makes another one, which shares what is the same. */
export type Observed = { readonly [Kind in KindName]: Seen<ObservedKinds[Kind]> } & {
  readonly atMs: number
  /** Names of served resources; undefined if discovery failed or has not answered. */
  readonly served: ReadonlySet<string> | undefined
  /** Set while no server answers. */
  readonly unseen: Unseen | undefined
}

const nothing = { sight: 'waiting', objects: [] } as const

export const nothingObserved: Observed = {
  ...{ records: nothing, leases: nothing, states: nothing, versioned: nothing, plain: nothing },
  ...{ atMs: 0, served: undefined, unseen: undefined },
}
