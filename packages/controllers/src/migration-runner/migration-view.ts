import type { ApiObject, GroupResource, MigrationProgress } from '@strata/api'
import { holdIn } from '../migrator/index.ts'

/** kube-storage-version-migrator's kind and upstream's own one; they have one name and differ in their conditions. */
export const migrationGroups = ['migration.k8s.io', 'storagemigration.k8s.io'] as const
export type MigrationGroup = (typeof migrationGroups)[number]

/** What people write on a migration. */
export const pausedAnnotation = 'strata.dev/paused'
export const cancelAnnotation = 'strata.dev/cancel'
export const priorityAnnotation = 'strata.dev/priority'
/** What runners write: who sees to it, and how far it is where the server does not keep that in the status. */
export const claimAnnotation = 'strata.dev/claimed-by'
export const progressAnnotation = 'strata.dev/progress'

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
  spec?: { readonly resource?: { readonly group?: string; readonly resource?: string } }
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
  readonly conditions: readonly ViewedCondition[]
  readonly progress: MigrationProgress
  /** The server keeps our fields in the status. */
  readonly keepsProgress: boolean
  /** Of upstream's own kind: what is newer was written when it had begun. */
  readonly checkpoint: string
  readonly phase: Phase
  /** Says that it runs, whatever else it says. */
  readonly saysRunning: boolean
  readonly claimedBy: string | undefined
  /** A command in somebody's terminal sees to it itself. */
  readonly isHeld: boolean
  readonly isPaused: boolean
  readonly isCancelled: boolean
  readonly priority: number
}

export function viewOf(
  group: MigrationGroup,
  { metadata, spec, status = {} }: MigrationObject,
): MigrationView {
  const { name = '', uid = '', resourceVersion = '', generation = 0 } = metadata
  const { creationTimestamp, deletionTimestamp, annotations = {} } = metadata
  const { conditions = [], resourceVersion: checkpoint = '', ...progress } = status
  const keepsProgress = progress.target !== undefined
  const holds = (type: string): boolean =>
    conditions.some((each) => each.type === type && each.status === 'True')
  const saysRunning = holds('Running')
  const begun = saysRunning ? 'running' : 'pending'
  const isCancelled = ![undefined, 'false'].includes(annotations[cancelAnnotation])
  return {
    ...{ group, name, uid, resourceVersion, generation, annotations, conditions, checkpoint, saysRunning },
    createdAt: String(creationTimestamp ?? ''),
    resource: { group: spec?.resource?.group ?? '', resource: spec?.resource?.resource ?? '' },
    progress: keepsProgress ? progress : { ...annotatedProgress(annotations), ...progress },
    keepsProgress,
    phase: holds('Succeeded') ? 'succeeded' : holds('Failed') ? 'failed' : begun,
    claimedBy: annotations[claimAnnotation],
    isHeld: holdIn(annotations) !== undefined,
    isPaused: annotations[pausedAnnotation] === 'true',
    // Kept by somebody's finalizer, it is as good as gone.
    isCancelled: isCancelled || deletionTimestamp !== undefined,
    priority: priorityOf(annotations[priorityAnnotation]),
  }
}

export function isEnded({ phase }: Pick<MigrationView, 'phase'>): boolean {
  return phase === 'succeeded' || phase === 'failed'
}

/** Whole numbers only; anything else is as if nothing had been said. */
function priorityOf(text = ''): number {
  return /^[+-]?\d{1,9}$/.test(text) ? Number(text) : 0
}

/** Servers that know nothing of our fields in the status drop them: typed ones, and definitions without them. */
function annotatedProgress(annotations: Readonly<Record<string, string>>): MigrationProgress {
  try {
    const value: unknown = JSON.parse(annotations[progressAnnotation] ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
