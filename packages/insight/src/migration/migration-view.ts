import type { ApiObject, GroupResource, MigrationProgress } from '@strata/api'
import { type Claim, claimIn, wasClaimed } from './claim.ts'
import { annotatedProgress } from './progress-annotation.ts'

/** kube-storage-version-migrator's API group and upstream's own. The kinds share a name; their conditions differ. */
export const migrationGroups = ['migration.k8s.io', 'storagemigration.k8s.io'] as const
export type MigrationGroup = (typeof migrationGroups)[number]

/** Annotations that users set on a migration. */
export const pausedAnnotation = 'strata.dev/paused'
export const cancelAnnotation = 'strata.dev/cancel'
export const priorityAnnotation = 'strata.dev/priority'

export interface MigrationCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly observedGeneration?: number
  /** In `storagemigration.k8s.io`. */
  readonly lastTransitionTime?: string | null
  /** In `migration.k8s.io`. */
  readonly lastUpdateTime?: string | null
}

/** A StorageVersionMigration of either group. */
export interface MigrationObject extends ApiObject {
  spec?: {
    readonly resource?: { readonly group?: string; readonly version?: string; readonly resource?: string }
  }
  status?: MigrationProgress & {
    readonly conditions?: readonly MigrationCondition[]
    readonly resourceVersion?: string
  }
}

/** The spec of a new migration. Only `migration.k8s.io` has a version. */
export function migrationSpec(
  toGroup: MigrationGroup,
  { group, resource }: GroupResource,
  version: string,
): NonNullable<MigrationObject['spec']> {
  return { resource: { group, ...(toGroup === 'migration.k8s.io' ? { version } : {}), resource } }
}

export type Phase = 'pending' | 'running' | 'succeeded' | 'failed'

/** A migration of either group, in one form. */
export interface MigrationView {
  readonly group: MigrationGroup
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation: number
  readonly createdAt: string
  readonly annotations: Readonly<Record<string, string>>
  readonly resource: GroupResource
  /** The version that its creator asks to read and write in; only `migration.k8s.io` has it. */
  readonly servedVersion?: string
  readonly conditions: readonly MigrationCondition[]
  readonly progress: MigrationProgress
  /** The server keeps our fields in the status. */
  readonly keepsProgress: boolean
  /** In `storagemigration.k8s.io`: the resourceVersion at which the migration began. */
  readonly checkpoint: string
  readonly phase: Phase
  /** Its Running condition is True. The other conditions do not matter. */
  readonly saysRunning: boolean
  /** The process that works on it. */
  readonly claim: Claim | undefined
  /** Its Running condition is True, and no process of Strata has ever claimed it. */
  readonly isForeign: boolean
  readonly isPaused: boolean
  readonly isCancelled: boolean
  readonly isBeingDeleted: boolean
  readonly priority: number
}

export function viewOf(
  group: MigrationGroup,
  { metadata, spec, status = {} }: MigrationObject,
): MigrationView {
  const { name = '', uid = '', resourceVersion = '', generation = 0 } = metadata
  const { creationTimestamp, annotations = {}, deletionTimestamp } = metadata
  const { conditions = [], resourceVersion: checkpoint = '', ...progress } = status
  const keepsProgress = progress.target !== undefined
  const saysRunning = conditionOf({ conditions }, 'Running') !== undefined
  const begun = saysRunning ? 'running' : 'pending'
  const succeeded = conditionOf({ conditions }, 'Succeeded')
  const failed = conditionOf({ conditions }, 'Failed')
  const stored = keepsProgress ? progress : { ...annotatedProgress(annotations), ...progress }
  return {
    ...{ group, name, uid, resourceVersion, generation, annotations, conditions, checkpoint, saysRunning },
    createdAt: String(creationTimestamp ?? ''),
    resource: { group: spec?.resource?.group ?? '', resource: spec?.resource?.resource ?? '' },
    ...(spec?.resource?.version ? { servedVersion: spec.resource.version } : {}),
    progress: stored,
    keepsProgress,
    phase: succeeded ? 'succeeded' : failed ? 'failed' : begun,
    claim: claimIn(annotations),
    isForeign: saysRunning && !wasClaimed(annotations) && stored.target === undefined,
    isPaused: isPaused(metadata),
    isCancelled: isCancelled(metadata),
    isBeingDeleted: deletionTimestamp !== undefined,
    priority: priorityOf(annotations),
  }
}

/** The condition of this type, if it is True. */
export function conditionOf(
  { conditions }: Pick<MigrationView, 'conditions'>,
  type: string,
): MigrationCondition | undefined {
  return conditions.find((each) => each.type === type && each.status === 'True')
}

/** The name of the object for kubectl. */
export const objectName = ({ group, name }: Pick<MigrationView, 'group' | 'name'>): string =>
  `storageversionmigrations.${group}/${name}`

/** A user has cancelled or deleted it. A deleted object that a finalizer keeps counts as cancelled. */
export function isCancelled({
  annotations,
  deletionTimestamp,
}: Pick<ApiObject['metadata'], 'annotations' | 'deletionTimestamp'>): boolean {
  return deletionTimestamp !== undefined || isSet(annotations?.[cancelAnnotation])
}

export function isPaused({ annotations }: Pick<ApiObject['metadata'], 'annotations'>): boolean {
  return isSet(annotations?.[pausedAnnotation])
}

/** Every value but "false" sets such an annotation, also "yes" and the empty one. */
const isSet = (value: string | undefined): boolean => value !== undefined && value !== 'false'

export function isEnded({ phase }: Pick<MigrationView, 'phase'>): boolean {
  return phase === 'succeeded' || phase === 'failed'
}

/**
 * The migration is pending, and kube-controller-manager may start it by itself. That migrator does not check for others:
 * if Strata sets Running first, both run it.
 */
export function mayUpstreamStart({ group, phase, annotations, progress }: MigrationView): boolean {
  const isOurs = wasClaimed(annotations) || progress.target !== undefined
  return group === 'storagemigration.k8s.io' && phase === 'pending' && !isOurs
}

const isPriority = (text: string): boolean => /^[+-]?\d{1,9}$/.test(text)

/** Whole numbers only; any other value counts as 0. */
function priorityOf({ [priorityAnnotation]: text = '' }: Readonly<Record<string, string>>): number {
  return isPriority(text) ? Number(text) : 0
}

/** The value of a priority annotation that is not a number. */
export function invalidPriority({ annotations }: Pick<MigrationView, 'annotations'>): string | undefined {
  const text = annotations[priorityAnnotation]
  return text === undefined || isPriority(text) ? undefined : text
}
