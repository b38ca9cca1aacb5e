import { type GroupResource, storageStateName } from '@strata/api'
import { type MigrationObject, migrationSpec } from '@strata/insight'
import { acceptAnnotation } from '../migration-runner/index.ts'
import { acceptanceWords } from './decide-acceptance.ts'
import type { NewMigration } from './decide-migrations.ts'
import type { MigrationHome } from './migration-home.ts'
import {
  accountedAnnotation,
  attemptAnnotation,
  persistedAnnotation,
  previousFailureAnnotation,
  stateAnnotation,
  targetAnnotation,
} from './observed-migration.ts'
import type { Acceptance } from './trigger-options.ts'

/**
 * A migration, named by its resource and its target. So a trigger that restarts, or a second leader, finds it instead of
 * creating another one.
 */
export function newMigration(
  home: MigrationHome,
  resource: GroupResource,
  /** The API version of the resource, for the group that wants one in the spec. */
  servedVersion: string,
  stateUID: string,
  { target, attempt, persisted, previousFailure }: NewMigration,
  accept: Acceptance,
): MigrationObject {
  const accepted = acceptanceWords[accept]
  return {
    metadata: {
      name: migrationName(resource, target, attempt),
      annotations: {
        [targetAnnotation]: target,
        [stateAnnotation]: stateUID,
        [attemptAnnotation]: String(attempt),
        ...(accepted === undefined ? {} : { [acceptAnnotation]: accepted }),
        ...(persisted.length > 0 ? { [persistedAnnotation]: persisted.join(',') } : {}),
        ...(previousFailure === undefined
          ? {}
          : { [previousFailureAnnotation]: previousFailure.slice(0, 1000) }),
      },
    },
    spec: migrationSpec(home.group, resource, servedVersion),
  }
}

/**
 * Marks only the migration with this UID. Otherwise: (1) a migration succeeds, and leader A is about to mark it; (2) A loses
 * its lease without noticing; (3) leader B deletes the migration and creates another one of the same name; (4) A marks that
 * one, so its success does not count, and everything is migrated once more.
 */
export function accountedPatch(uid: string) {
  return { metadata: { uid, annotations: { [accountedAnnotation]: 'true' } } }
}

const longestName = 253

function migrationName(resource: GroupResource, target: string, attempt: number): string {
  const [, epoch] = /^epoch (\d+)$/.exec(target) ?? []
  const what = epoch === undefined ? hashInName(target) : `epoch-${epoch}`
  const end = `-${what}${attempt === 1 ? '' : `-${attempt}`}`
  const start = storageStateName(resource).slice(0, longestName - end.length)
  return `${start.replace(/[.-]+$/, '')}${end}`
}

/** The hash as a part of a name. */
function hashInName(hash: string): string {
  return Buffer.from(hash, 'base64').toString('hex') || Buffer.from(hash).toString('hex')
}
