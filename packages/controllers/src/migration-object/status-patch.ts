import type { MigrationProgress } from '@strata/api'
import type { MigrationView } from '@strata/insight'
import { type Proof, resultWords } from '../migrator/index.ts'
import { decideConditions, type Stage } from './decide-conditions.ts'

export interface StatusChange {
  readonly stage: Stage
  /** Replaces the stored progress; left out, that stays. */
  readonly progress?: MigrationProgress | undefined
  readonly checkpoint?: string | undefined
}

/** A merge patch of the status of a migration. Every status that Strata writes comes from here. */
export function statusPatch(
  view: MigrationView,
  { stage, progress, checkpoint }: StatusChange,
  now: string,
): object {
  const { group, conditions } = view
  const waitingFor = stage.kind === 'running' ? stage.waitingFor : undefined
  return {
    conditions: decideConditions(group, conditions, stage, now),
    ...(checkpoint === undefined ? {} : { resourceVersion: checkpoint }),
    ...(progress === undefined ? {} : replacing(view.progress, progress)),
    ...(stage.kind === 'failed' ? { failure: stage.failure } : {}),
    ...((waitingFor ?? view.progress.waitingFor) ? { waitingFor: waitingFor ?? null } : {}),
  }
}

/** The progress of a migration that has ended: no place to resume from, and no time left. */
export function finalProgress(
  { continueToken: _, etaSeconds: __, ...progress }: MigrationProgress,
  proof: Proof,
): MigrationProgress {
  return { ...progress, result: resultWords[proof] }
}

/** A merge patch adds to what is stored: to replace it, the patch removes each field that is no longer set. */
function replacing(before: object, after: object): object {
  const old = new Map<string, unknown>(Object.entries(before))
  const patch = new Map<string, unknown>(Object.keys(before).map((key) => [key, null]))
  for (const [key, value] of Object.entries(after)) {
    const was = old.get(key)
    patch.set(key, isPlain(value) && isPlain(was) ? replacing(was, value) : value)
  }
  return Object.fromEntries(patch)
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
