import { ApiError, type GroupResource } from '@strata/api'
import type { Fence, WriteGate, WriteTicket } from '../coordination/index.ts'
import { agreementPrefix } from '../coordination/index.ts'

/** Counts the refusals of the gate, and broken guards. */
export interface GateWitness {
  refused(reason: RefusalReason): void
  brokenGuard(): void
}

export type RefusalReason =
  /** The entry of this server is not stored, or was removed. */
  | 'registration-pending'
  /** The server is shutting down, or has lost its identity. */
  | 'closed'
  /** This server cannot write the selected version. */
  | 'cannot-encode'
  /** The view of a loose server is too old. */
  | 'stale-view'

/** The gate of the fence, with counting. */
export function observeGate(fence: Fence, witness: GateWitness): WriteGate {
  const noting = <T>(resource: GroupResource, act: () => T): T => {
    try {
      return act()
    } catch (error) {
      note(resource, error)
      throw error
    }
  }
  const note = (resource: GroupResource, error: unknown): void => {
    if (error instanceof ApiError && error.code === 503) witness.refused(reasonOf(fence, resource))
  }
  const observed = (resource: GroupResource, ticket: WriteTicket): WriteTicket => ({
    permit: () => noting(resource, () => ticket.permit()),
    broken: async (guards, signal) => {
      if (guards.some(({ guard }) => guard.key.startsWith(agreementPrefix))) witness.brokenGuard()
      try {
        await ticket.broken(guards, signal)
      } catch (error) {
        note(resource, error)
        throw error
      }
    },
    unknown: () => ticket.unknown(),
    leave: () => ticket.leave(),
  })
  return {
    check: (resource) => noting(resource, () => fence.check(resource)),
    opening: (resource, signal) => fence.opening(resource, signal),
    enter: (resource, codec) =>
      observed(
        resource,
        noting(resource, () => fence.enter(resource, codec)),
      ),
  }
}

function reasonOf(fence: Fence, resource: GroupResource): RefusalReason {
  if (fence.closed) return 'closed'
  const state = fence.stateOf(resource)
  if (state.kind === 'open') return 'stale-view'
  return state.refuses ? 'cannot-encode' : 'registration-pending'
}
