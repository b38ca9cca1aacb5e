import type { ObjectMeta, OwnerReference } from '@strata/api'
import type { Propagation } from '@strata/client'
import { waitsFor } from './owner-graph.ts'

/** `waiting`: the owner is being deleted in the foreground and waits for this dependent to go first. */
export type OwnerState = 'present' | 'absent' | 'waiting' | 'unknown'

export interface DependentLook {
  readonly metadata: ObjectMeta
  readonly stateOf: (owner: OwnerReference) => OwnerState
  readonly hasDependents: boolean
  /** One of its dependents is being deleted in the foreground itself: they may own each other. */
  readonly isInCircle: boolean
  /** The owner was deleted with the orphan policy. */
  readonly wasOrphanedBy: (owner: OwnerReference) => boolean
}

export type DependentDecision =
  | { readonly do: 'keep'; readonly because: string }
  /** Removes the references to these owners; another owner keeps the object. */
  | { readonly do: 'detach'; readonly owners: readonly OwnerReference[]; readonly because: string }
  | {
      readonly do: 'delete'
      readonly propagation: Propagation
      /** Whether its references must stop blocking its owners first. */
      readonly unblock: boolean
      readonly because: string
    }
  | { readonly do: 'look-again'; readonly because: string }

/**
 * What to do with an object because of its owners. It is deleted only if every owner is known to be gone or waits for it: an
 * owner that cannot be looked up may exist, and a deletion cannot be undone.
 */
export function decideDependent(look: DependentLook): DependentDecision {
  const { metadata, stateOf } = look
  const owners = metadata.ownerReferences ?? []
  if (owners.length === 0) return { do: 'keep', because: 'it has no owner' }
  if (metadata.deletionTimestamp !== undefined) return { do: 'keep', because: 'it is being deleted already' }
  const states = owners.map((owner) => [owner, stateOf(owner)] as const)
  const left = (...wanted: readonly OwnerState[]): readonly OwnerReference[] =>
    states.filter(([, state]) => wanted.includes(state)).map(([owner]) => owner)

  const gone = left('absent', 'waiting')
  if (left('present').length > 0) {
    return gone.length === 0
      ? { do: 'keep', because: 'its owners exist' }
      : { do: 'detach', owners: gone, because: 'another owner exists' }
  }
  if (left('unknown').length > 0) return { do: 'look-again', because: 'an owner cannot be looked up' }
  const orphaned = gone.filter(look.wasOrphanedBy)
  if (orphaned.length > 0) {
    return { do: 'detach', owners: orphaned, because: 'its owner was deleted with the orphan policy' }
  }
  if (left('waiting').length > 0 && look.hasDependents) {
    return {
      do: 'delete',
      propagation: 'Foreground',
      unblock: look.isInCircle,
      because: 'its owner waits for it, and it has dependents of its own',
    }
  }
  return {
    do: 'delete',
    propagation: propagationOf(metadata),
    unblock: false,
    because: left('waiting').length > 0 ? 'its owner waits for it' : 'its owners are gone',
  }
}

/** The propagation for its own dependents, by its finalizers. */
function propagationOf(metadata: ObjectMeta): Propagation {
  const waits = waitsFor({ ...metadata, deletionTimestamp: 'now' })
  return waits === 'orphans' ? 'Orphan' : waits === 'dependents' ? 'Foreground' : 'Background'
}
