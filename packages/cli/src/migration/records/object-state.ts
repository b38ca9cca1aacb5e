import type { GroupResource } from '@strata/api'
import {
  claimIn,
  failureOf,
  inTurn,
  isCancelled,
  isPaused,
  priorityOf,
  type Turn,
  waitingIn,
  wasClaimed,
} from '@strata/controllers'
import type { PastMigration } from '../evidence/decide-evidence.ts'
import { type Found, whereOf } from './held-object.ts'
import { type AnyMigration, endOf, type MigrationCondition } from './migration-form.ts'
import type { RecordState } from './record.ts'

export function isAbout({ spec }: AnyMigration, { group, resource }: GroupResource): boolean {
  return (spec?.resource?.group ?? '') === group && spec?.resource?.resource === resource
}

/**
 * Those that somebody is at come first; then, in the order of the runner, those that nobody wants to wait, and those that
 * somebody does. What is to end comes last.
 */
export function byUrgency(a: Found, b: Found): number {
  const rank = ({ object: { metadata } }: Found): number =>
    isCancelled(metadata) ? 3 : claimIn(metadata.annotations) ? 0 : isPaused(metadata) ? 2 : 1
  return rank(a) - rank(b) || inTurn(turnOf(a), turnOf(b))
}

function turnOf({ form, object: { metadata, status } }: Found): Turn {
  const { name = '', annotations = {}, creationTimestamp } = metadata
  return {
    ...{ isBegun: saysRunning(status) || status?.target !== undefined, priority: priorityOf(annotations) },
    ...{ createdAt: String(creationTimestamp ?? ''), name, group: form.definition.group },
  }
}

const isRunning = ({ type, status }: MigrationCondition): boolean => type === 'Running' && status === 'True'

const saysRunning = (status: AnyMigration['status']): boolean => status?.conditions?.some(isRunning) === true

export function stateOf(found: Found): RecordState {
  const { metadata, status = {} } = found.object
  const isOfOurs = wasClaimed(metadata.annotations) || status.target !== undefined
  return {
    where: whereOf(found),
    id: metadata.uid ?? '',
    mark: metadata.resourceVersion ?? '',
    claim: claimIn(metadata.annotations),
    isForeign: saysRunning(status) && !isOfOurs,
    isPaused: isPaused(metadata),
    failure: failureOf(metadata.annotations),
    isCancelled: isCancelled(metadata),
    end: endOf(found.object),
    waitingFor: waitingIn(status.conditions?.find(isRunning)?.message),
    progress: status,
  }
}

export function pastOf(found: Found, resource: GroupResource): readonly PastMigration[] {
  const end = endOf(found.object)
  if (end === undefined) return []
  const { target, quarantined = 0 } = found.object.status ?? {}
  const { at, proof, outcome } = end
  const bound = target && { ...target, fenced: target.fenced ?? false, resource }
  return [
    {
      ...{ where: whereOf(found), succeeded: outcome === 'succeeded', proof, quarantined, target: bound },
      ...(at === undefined ? {} : { at }),
    },
  ]
}
