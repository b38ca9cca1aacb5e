import { type FoundCondition, withCondition } from './conditions.ts'
import { type CustomResourceDefinition, cleanupFinalizer } from './custom-resource-definition.ts'

/** The Terminating condition of a CRD, from the deletion request to the last custom resource. */
export const terminating = {
  pending: {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  },
  inProgress: {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionInProgress',
    message: 'CustomResource deletion is in progress',
  },
  completed: {
    type: 'Terminating',
    status: 'False',
    reason: 'InstanceDeletionCompleted',
    message: 'removed all instances',
  },
  /** Nothing can have been stored. */
  neverEstablished: {
    type: 'Terminating',
    status: 'False',
    reason: 'NeverEstablished',
    message: 'resource was never established',
  },
  /** Its custom resources would overlap with a built-in kind. */
  overlapping: {
    type: 'Terminating',
    status: 'False',
    reason: 'OverlappingBuiltInResource',
    message: 'instances overlap with built-in resources in storage',
  },
} as const satisfies Readonly<Record<string, FoundCondition>>

export const couldNotDelete = (why: string): FoundCondition => failed(`could not issue all deletes: ${why}`)

const failed = (message: string): FoundCondition => ({
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionFailed',
  message,
})

/** The custom resources are being deleted, and their finalizers keep them. */
export const couldNotConfirm = (why: string): FoundCondition => ({
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionCheck',
  message: `could not confirm zero CustomResources remaining: ${why}`,
})

/** The first request to delete a definition: it stays until its instances are gone. In place. */
export function markForDeletion(definition: CustomResourceDefinition, now: string): void {
  const { metadata } = definition
  metadata.deletionTimestamp = now
  const { finalizers = [] } = metadata
  if (!finalizers.includes(cleanupFinalizer)) metadata.finalizers = [...finalizers, cleanupFinalizer]
  definition.status = withCondition(definition.status, terminating.pending, now)
}

/** Whether there are instances to delete before the definition may go. */
export function awaitsCleanup({ metadata }: CustomResourceDefinition): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(cleanupFinalizer) === true
}
