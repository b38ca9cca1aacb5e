import type { ObjectMeta, OwnerReference } from '@strata/api'
import type { Propagation } from '@strata/client'
import { waitsFor } from './owner-graph.ts'

/** `waiting`: it is being deleted and waits for this dependent to go first. */
export type OwnerState = 'present' | 'absent' | 'waiting' | 'unknown'

export interface DependentLook {
  readonly metadata: ObjectMeta
  readonly stateOf: (owner: OwnerReference) => OwnerState
  readonly hasDependents: boolean
  /** One of its own dependents waits for its dependents to go: they own each other. */
  readonly isInCircle: boolean
  /** The owner was deleted, and its dependents were to stay. */
  readonly wasOrphanedBy: (owner: OwnerReference) => boolean
}

export type DependentDecision =
  | { readonly do: 'keep'; readonly because: string }
  /** Some owners are gone; the others keep it. */
  | { readonly do: 'detach'; readonly owners: readonly OwnerReference[]; readonly because: string }
  | {
      readonly do: 'delete'
      readonly propagation: Propagation
      /** Whether those it owns itself must stop waiting for it first. */
      readonly unblock: boolean
      readonly because: string
    }
  | { readonly do: 'look-again'; readonly because: string }

/**
 * What becomes of an object because of its owners. It goes only when every one of them is known to be gone or waits
 * for it: an owner that cannot be looked up may be there, and what is deleted does not come back.
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
      ? { do: 'keep', because: 'its owners are there' }
      : { do: 'detach', owners: gone, because: 'another owner keeps it' }
  }
  if (left('unknown').length > 0) return { do: 'look-again', because: 'an owner cannot be looked up' }
  const orphaned = gone.filter(look.wasOrphanedBy)
  if (orphaned.length > 0) {
    return { do: 'detach', owners: orphaned, because: 'its owner left it behind on purpose' }
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
    propagation: ownWish(metadata),
    unblock: false,
    because: left('waiting').length > 0 ? 'its owner waits for it' : 'its owners are gone',
  }
}

/** Its own finalizers say what is to become of those that it owns. */
function ownWish(metadata: ObjectMeta): Propagation {
  const wish = waitsFor({ ...metadata, deletionTimestamp: 'now' })
  return wish === 'orphans' ? 'Orphan' : wish === 'dependents' ? 'Foreground' : 'Background'
}
