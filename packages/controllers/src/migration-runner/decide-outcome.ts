import { type MigrationFailure, namespacedName } from '@strata/api'
import { type Counts, failureMessage, failureOfOutcome } from '../migration-object/index.ts'
import type { MigrationResult as EngineResult } from '../migrator/index.ts'

interface Failing {
  readonly do: 'fail'
  readonly failure: MigrationFailure
  readonly message: string
}

export type RunOutcome =
  | { readonly do: 'succeed' }
  | Failing
  /** The migration runs again later. */
  | { readonly do: 'again'; readonly afterMs: number; readonly because: string; readonly isFailure: boolean }
  /** A user has stopped it. */
  | { readonly do: 'stop' }

export type EndedRun = Pick<EngineResult, 'outcome' | 'because' | 'quarantine' | 'progress'>

/**
 * A migration fails after so many failed runs in a row; each had the engine's whole patience. A run whose target changed,
 * or that a user stopped, resets the count: other work follows it.
 */
const mostFailures = 3
/** Interruptions outside the engine for so long count as a failed run. */
const interruptedMs = 600_000
const afterMoveMs = 1_000
const afterFailureMs = 10_000

/**
 * Decides what to do after a run. A changed target says nothing about the objects: the servers are in the middle of an
 * upgrade, and the work starts again when they agree, however long that takes.
 */
export function decideOutcome(ended: EndedRun, failuresBefore: number): RunOutcome {
  const { outcome, because, quarantine } = ended
  switch (outcome) {
    case 'succeeded':
      return { do: 'succeed' }
    case 'aborted':
      return { do: 'again', afterMs: afterMoveMs, because, isFailure: false }
    case 'incomplete':
      if (quarantine.total > 0)
        return { do: 'fail', failure: 'Incomplete', message: quarantineMessage(ended) }
      return again(ended, failuresBefore)
    case 'failed':
      return again(ended, failuresBefore)
    case 'paused':
    case 'cancelled':
    case 'rehearsed':
      return { do: 'stop' }
  }
}

/** The number of failed runs in a row after this one. */
export function failuresAfter(outcome: RunOutcome, before: number): number {
  return outcome.do === 'again' && outcome.isFailure ? before + 1 : 0
}

export type Interruption =
  | { readonly do: 'again' }
  /** Counts as a failed run. */
  | { readonly do: 'count' }
  | Failing

/**
 * Decides what to do after an interruption outside the engine, for instance if the agreement cannot be read. A server may be
 * away for a while, and no migration stays Running for ever (docs/reference/upstream-behaviour.md, Q3).
 */
export function decideInterruption(because: string, forMs: number, failuresBefore: number): Interruption {
  if (forMs < interruptedMs) return { do: 'again' }
  if (failuresBefore + 1 < mostFailures) return { do: 'count' }
  return { do: 'fail', failure: 'Failed', message: failureMessage(because) }
}

function again({ outcome, because, progress }: EndedRun, failuresBefore: number): RunOutcome {
  if (failuresBefore + 1 >= mostFailures) {
    const message = failureMessage(because, countsOf(progress))
    return { do: 'fail', failure: failureOfOutcome(outcome), message }
  }
  const afterMs = afterFailureMs * 2 ** failuresBefore
  return { do: 'again', afterMs, because, isFailure: true }
}

/** Names the first object. Upstream repeats the server's answer, which may not (docs/reference/upstream-behaviour.md, Q10). */
function quarantineMessage({ quarantine, progress }: EndedRun): string {
  const { total, objects } = quarantine
  const [first] = objects
  const others = total > 1 ? ` (and ${total - 1} more, see status.quarantine)` : ''
  const what = first
    ? `${namespacedName(first)}: ${first.reason}: ${first.message}`
    : `${total} ${total === 1 ? 'object' : 'objects'} could not be rewritten`
  const counts = { left: total, total: Math.max(total, progress.total ?? 0) }
  return failureMessage(`${what}${others}`, counts)
}

/** How many objects are not migrated yet, or cannot be. */
export function countsOf({
  total,
  settled,
  quarantined,
}: Pick<EngineResult['progress'], 'total' | 'settled' | 'quarantined'>): Counts | undefined {
  return total === undefined ? undefined : { left: total - settled + quarantined, total }
}
