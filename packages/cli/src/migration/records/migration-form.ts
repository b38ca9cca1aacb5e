import {
  type ApiObject,
  type GroupResource,
  type MigrationProgress,
  migrationPaused,
  type ResourceDefinition,
  storageVersionMigrations,
  versionedMigrations,
} from '@strata/api'
import { outcomeOfFailure } from '@strata/controllers'
import type { RecordEnd } from './record.ts'

/** A condition as either group has it: upstream's two kinds differ in the name of the time. */
export interface MigrationCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastUpdateTime?: string
  readonly lastTransitionTime?: string | null
}

/** A migration object of either group. */
export interface AnyMigration extends ApiObject {
  spec: {
    readonly resource: { readonly group?: string; readonly resource: string; readonly version?: string }
  }
  status?: MigrationProgress & { readonly conditions?: readonly MigrationCondition[] }
}

export type Stage = 'Running' | 'Paused' | 'Succeeded' | 'Failed'

/** What the two groups do differently. */
export interface MigrationForm {
  readonly definition: ResourceDefinition<AnyMigration>
  readonly versionName: string
  specOf(resource: GroupResource, versionName: string): AnyMigration['spec']
  conditionsOf(
    before: readonly MigrationCondition[],
    stage: Stage,
    said: { readonly message: string; readonly at: string },
  ): readonly MigrationCondition[]
}

const stages: readonly string[] = ['Running', 'Succeeded', 'Failed']
const others = (before: readonly MigrationCondition[]): readonly MigrationCondition[] =>
  before.filter(({ type }) => !stages.includes(type))

const plainResource = ({ group, resource }: GroupResource): GroupResource => ({ group, resource })

const pausedCondition = { type: 'Running', status: 'False', reason: migrationPaused } as const

/** `migration.k8s.io`: the one condition that is so, and no other of the three. */
const versioned: MigrationForm = {
  definition: versionedMigrations as unknown as ResourceDefinition<AnyMigration>,
  versionName: 'v1alpha1',
  specOf: (resource, version) => ({ resource: { ...plainResource(resource), version } }),
  conditionsOf: (before, type, { message, at }) => [
    ...others(before),
    {
      ...(type === 'Paused' ? pausedCondition : { type, status: 'True', reason: `Migration${type}` }),
      ...{ lastUpdateTime: at, message },
    },
  ],
}

/** `storagemigration.k8s.io`: Running stays, and becomes False at the end. */
const plain: MigrationForm = {
  definition: storageVersionMigrations as unknown as ResourceDefinition<AnyMigration>,
  versionName: 'v1beta1',
  specOf: (resource) => ({ resource: plainResource(resource) }),
  conditionsOf: (before, type, { message, at }) => {
    const since = before.find((each) => each.type === 'Running' && each.status === 'True')
    const running: MigrationCondition = {
      ...{ type: 'Running', status: 'True', reason: 'MigrationRunning', message },
      lastTransitionTime: since?.lastTransitionTime ?? at,
    }
    if (type === 'Paused') return [...others(before), { ...pausedCondition, message, lastTransitionTime: at }]
    if (type === 'Running') return [...others(before), running]
    const over = { status: 'False', reason: 'MigrationCompleted', message: 'Migration completed' }
    return [
      ...others(before),
      { ...running, ...over, lastTransitionTime: at },
      { type, status: 'True', lastTransitionTime: at, reason: `StorageVersionMigration${type}`, message },
    ]
  },
}

/** By preference: the one that the trigger looks at first. */
export const migrationForms: readonly MigrationForm[] = [versioned, plain]

const holds = (status: AnyMigration['status'], type: string): MigrationCondition | undefined =>
  status?.conditions?.find((each) => each.type === type && each.status === 'True')

const proofs = { Proven: 'proven', ObservedClean: 'observed clean', Unknown: 'unknown' } as const

/** How an object says that it has ended; undefined while it has not. */
export function endOf({ status }: AnyMigration): (RecordEnd & { readonly at?: string }) | undefined {
  const succeeded = holds(status, 'Succeeded')
  const failed = holds(status, 'Failed')
  const said = failed ?? succeeded
  if (said === undefined) return undefined
  const at = said.lastUpdateTime ?? said.lastTransitionTime ?? undefined
  const because = said.message ?? ''
  const when = at === undefined ? {} : { at }
  if (failed === undefined) {
    return { outcome: 'succeeded', proof: proofs[status?.result ?? 'Unknown'], because, ...when }
  }
  const outcome = outcomeOfFailure(because, status?.quarantined ?? 0)
  return { outcome, proof: 'unknown', because, ...when }
}
