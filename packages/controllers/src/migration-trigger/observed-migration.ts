import {
  type GroupResource,
  type MigrationResult,
  type MigrationTarget,
  storageVersionHash,
} from '@strata/api'
import { annotatedProgress, conditionOf, type MigrationObject } from '@strata/insight'
import { acceptAnnotation, acceptedProof } from '../migration-runner/index.ts'
import type { Proof } from '../migrator/index.ts'
import type { MigrationHome } from './migration-home.ts'

/** Annotations by which the trigger recognizes its migrations after a restart. */
export const targetAnnotation = 'strata.dev/trigger-target'
export const stateAnnotation = 'strata.dev/trigger-state-uid'
export const attemptAnnotation = 'strata.dev/trigger-attempt'
export const persistedAnnotation = 'strata.dev/trigger-persisted'
export const accountedAnnotation = 'strata.dev/trigger-accounted'
export const previousFailureAnnotation = 'strata.dev/trigger-previous-failure'

export interface TriggerMark {
  /** Its target: an epoch of a record, or a hash. */
  readonly target: string
  /** The uid of the StorageState then. A new StorageState needs another migration. */
  readonly stateUID: string
  readonly attempt: number
  /** The versions that might have been stored when it was created. It may have missed later ones. */
  readonly persisted: readonly string[]
  /** The StorageState includes its result, which must not count twice. */
  readonly isAccounted: boolean
}

/** The fields of a migration of either group that the trigger needs. */
export interface ObservedMigration {
  readonly name: string
  readonly uid: string
  readonly createdAt: string
  readonly phase: 'unfinished' | 'succeeded' | 'failed'
  /** When it ended. */
  readonly endedAt?: string | undefined
  readonly message?: string | undefined
  readonly result?: MigrationResult | undefined
  readonly target?: MigrationTarget | undefined
  /** The hash of the version that it migrated to, which may differ from its target; undefined: unknown. */
  readonly boundTo?: string | undefined
  /** The weaker proof that a user accepts, if set. */
  readonly accepted?: Proof | undefined
  /** Absent if the trigger did not create it. */
  readonly mark?: TriggerMark | undefined
  readonly isBeingDeleted?: boolean | undefined
  /** Its group and version; by default those in which the trigger creates migrations. */
  readonly home?: MigrationHome
}

/**
 * Whether it migrated objects to its target. If servers change their version during a migration, the migrator starts again
 * with the new version. A result without a target proves nothing. Upstream's migrator stores no result: the options of the
 * trigger say whether its success counts.
 */
export function wentTo({ boundTo, result }: ObservedMigration, hash: string): boolean {
  return boundTo === undefined ? result === undefined || result === 'Unknown' : boundTo === hash
}

/** The resource of a migration; undefined if it has none. */
export function migratedResource({ spec }: MigrationObject): GroupResource | undefined {
  const { group = '', resource = '' } = spec?.resource ?? {}
  return resource === '' ? undefined : { group, resource }
}

/** `kind` is that of the resource: hashes are made of it. */
export function observedMigration(
  { metadata, status = {} }: MigrationObject,
  kind: string,
): ObservedMigration {
  const { name = '', uid = '', creationTimestamp, deletionTimestamp, annotations = {} } = metadata
  const { conditions = [] } = status
  const [succeeded, failed] = [
    conditionOf({ conditions }, 'Succeeded'),
    conditionOf({ conditions }, 'Failed'),
  ]
  const end = succeeded ?? failed
  const endedAt = (end?.lastTransitionTime ?? end?.lastUpdateTime) || undefined
  const { result, target } = status.target ? status : { ...annotatedProgress(annotations), ...status }
  const made = annotations[targetAnnotation]
  return {
    ...{ name, uid, createdAt: String(creationTimestamp ?? '') },
    phase: succeeded ? 'succeeded' : failed ? 'failed' : 'unfinished',
    ...{ endedAt, message: end?.message, result, target, boundTo: hashOfTarget(target, kind) },
    accepted: annotations[acceptAnnotation] === undefined ? undefined : acceptedProof(annotations),
    mark:
      made === undefined
        ? undefined
        : {
            target: made,
            stateUID: annotations[stateAnnotation] ?? '',
            attempt: Number(annotations[attemptAnnotation] ?? 1) || 1,
            persisted: (annotations[persistedAnnotation] ?? '').split(',').filter(Boolean),
            isAccounted: annotations[accountedAnnotation] === 'true',
          },
    isBeingDeleted: Boolean(deletionTimestamp),
  }
}

function hashOfTarget(target: MigrationTarget | undefined, kind: string): string | undefined {
  const { hash, encodingVersion } = target ?? {}
  return hash ?? (encodingVersion === undefined ? undefined : storageVersionHash(encodingVersion, kind))
}
