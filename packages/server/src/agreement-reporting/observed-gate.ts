import { ApiError, type GroupResource } from '@strata/api'
import type { Fence, WriteGate, WriteTicket } from '../coordination/index.ts'
import { agreementPrefix } from '../coordination/index.ts'

/** Told of what the gate refuses, and of guards that broke. */
export interface GateWitness {
  refused(reason: RefusalReason): void
  brokenGuard(): void
}

export type RefusalReason =
  /** The own entry is not stored, or not any more. */
  | 'registration-pending'
  /** The server leaves, or has lost its identity. */
  | 'closed'
  /** The selected version cannot be written here. */
  | 'cannot-encode'
  /** A loose server does not know the records well enough any more. */
  | 'stale-view'

/** The same gate, with somebody who counts at it. */
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
