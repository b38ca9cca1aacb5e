import type { ObjectReference } from '@strata/client'
import type { Refusal } from '../pass/classify-error.ts'

/** An object that could not be rewritten, and why. */
export interface Quarantined extends ObjectReference {
  readonly reason: Refusal
  readonly message: string
}

export interface Quarantine {
  /** How many there are, listed or not. */
  readonly total: number
  /** The first ones. */
  readonly objects: readonly Quarantined[]
}

export const emptyQuarantine: Quarantine = { total: 0, objects: [] }

/** Enough to see what is wrong; all of them would not fit into a status. */
const listed = 100
const messageLength = 500

export function withQuarantined({ total, objects }: Quarantine, each: Quarantined): Quarantine {
  const message =
    each.message.length <= messageLength ? each.message : `${each.message.slice(0, messageLength - 1)}…`
  return {
    total: total + 1,
    objects: objects.length < listed ? [...objects, { ...each, message }] : objects,
  }
}

export function joinQuarantines(a: Quarantine, b: Quarantine): Quarantine {
  return { total: a.total + b.total, objects: [...a.objects, ...b.objects].slice(0, listed) }
}
