import type { ApiObject, GroupResource, MigrationProgress } from '@strata/api'
import { type Claim, claimIn, wasClaimed } from './claim.ts'
import { annotatedProgress } from './progress-annotation.ts'

/** kube-storage-version-migrator's kind and upstream's own one; they have one name and differ in their conditions. */
export const migrationGroups = ['migration.k8s.io', 'storagemigration.k8s.io'] as const
export type MigrationGroup = (typeof migrationGroups)[number]

/** What people write on a migration. */
export const pausedAnnotation = 'strata.dev/paused'
const cancelAnnotation = 'strata.dev/cancel'
export const priorityAnnotation = 'strata.dev/priority'

export interface ViewedCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly observedGeneration?: number
  /** Of upstream's own kind. */
  readonly lastTransitionTime?: string
  /** Of kube-storage-version-migrator's. */
  readonly lastUpdateTime?: string
}

export interface MigrationObject extends ApiObject {
  spec?: {
    readonly resource?: { readonly group?: string; readonly version?: string; readonly resource?: string }
  }
  status?: MigrationProgress & {
    readonly conditions?: readonly ViewedCondition[]
    readonly resourceVersion?: string
  }
}

export type Phase = 'pending' | 'running' | 'succeeded' | 'failed'

/** A migration of either group, as the runner looks at it. */
export interface MigrationView {
  readonly group: MigrationGroup
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation: number
  readonly createdAt: string
  readonly annotations: Readonly<Record<string, string>>
  readonly resource: GroupResource
  /** In which its maker would have it read and written; only kube-storage-version-migrator's kind says that. */
  readonly servedVersion?: string
  readonly conditions: readonly ViewedCondition[]
  readonly progress: MigrationProgress
  /** The server keeps our fields in the status. */
  readonly keepsProgress: boolean
  /** Of upstream's own kind: what is newer was written when it had begun. */
  readonly checkpoint: string
  readonly phase: Phase
  /** Says that it runs, whatever else it says. */
  readonly saysRunning: boolean
  /** Who sees to it. */
  readonly claim: Claim | undefined
  /** It says that it runs, and bears no mark of anybody like us. */
  readonly isForeign: boolean
  readonly isPaused: boolean
  readonly isCancelled: boolean
  readonly priority: number
}

export function viewOf(
  group: MigrationGroup,
  { metadata, spec, status = {} }: MigrationObject,
): MigrationView {
  const { name = '', uid = '', resourceVersion = '', generation = 0 } = metadata
  const { creationTimestamp, annotations = {} } = metadata
  const { conditions = [], resourceVersion: checkpoint = '', ...progress } = status
  const keepsProgress = progress.target !== undefined
  const holds = (type: string): boolean =>
    conditions.some((each) => each.type === type && each.status === 'True')
  const saysRunning = holds('Running')
  const begun = saysRunning ? 'running' : 'pending'
  const noted = keepsProgress ? progress : { ...annotatedProgress(annotations), ...progress }
  return {
    ...{ group, name, uid, resourceVersion, generation, annotations, conditions, checkpoint, saysRunning },
    createdAt: String(creationTimestamp ?? ''),
    resource: { group: spec?.resource?.group ?? '', resource: spec?.resource?.resource ?? '' },
    ...(spec?.resource?.version ? { servedVersion: spec.resource.version } : {}),
    progress: noted,
    keepsProgress,
    phase: holds('Succeeded') ? 'succeeded' : holds('Failed') ? 'failed' : begun,
    claim: claimIn(annotations),
    isForeign: saysRunning && !wasClaimed(annotations) && noted.target === undefined,
    isPaused: isPaused(metadata),
    isCancelled: isCancelled(metadata),
    priority: priorityOf(annotations),
  }
}

/** Whether somebody wants it to end. Kept by a finalizer, it is as good as gone. */
export function isCancelled({
  annotations,
  deletionTimestamp,
}: Pick<ApiObject['metadata'], 'annotations' | 'deletionTimestamp'>): boolean {
  return deletionTimestamp !== undefined || isSaid(annotations?.[cancelAnnotation])
}

/** Whether somebody wants it to wait. */
export function isPaused({ annotations }: Pick<ApiObject['metadata'], 'annotations'>): boolean {
  return isSaid(annotations?.[pausedAnnotation])
}

/** Whoever writes "yes", or nothing, means it: only "false" is a no. */
const isSaid = (word: string | undefined): boolean => word !== undefined && word !== 'false'

export function isEnded({ phase }: Pick<MigrationView, 'phase'>): boolean {
  return phase === 'succeeded' || phase === 'failed'
}

/**
 * Nobody has begun it, and kube-controller-manager begins such things by itself, where it is told to. It never looks whether
 * somebody else has: whoever says first that it runs has it run it too.
 */
export function isUpstreamsToBegin({ group, phase, annotations, progress }: MigrationView): boolean {
  const isOurs = wasClaimed(annotations) || progress.target !== undefined
  return group === 'storagemigration.k8s.io' && phase === 'pending' && !isOurs
}

const isPriority = (text: string): boolean => /^[+-]?\d{1,9}$/.test(text)

/** Whole numbers only; anything else is as if nothing had been said. */
export function priorityOf({ [priorityAnnotation]: text = '' }: Readonly<Record<string, string>>): number {
  return isPriority(text) ? Number(text) : 0
}

/** What somebody has written for a priority and is none. */
export function unreadPriority({ annotations }: Pick<MigrationView, 'annotations'>): string | undefined {
  const text = annotations[priorityAnnotation]
  return text === undefined || isPriority(text) ? undefined : text
}
