import { type GroupResource, storageStateName } from '@strata/api'
import { type MigrationObject, migrationSpec } from '../migration-object/index.ts'
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
 * A migration, named by its resource and its target: whoever asks for the same again, after a restart or as a leader that
 * has not heard of the other, finds it there.
 */
export function newMigration(
  home: MigrationHome,
  resource: GroupResource,
  /** In which the migrator speaks to the servers, for kinds that ask for it. */
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
 * Of this very one. Otherwise: a migration has succeeded, and a leader is about to mark it; it has lost, and does not know;
 * the migration is removed, and the new leader makes another of the same name; the mark lands on that one, its success is
 * counted for nothing, and everything is migrated once more.
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
