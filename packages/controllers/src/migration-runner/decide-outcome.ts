import type { MigrationFailure } from '@strata/api'
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
  /** Nothing is claimed, and it is tried again. */
  | { readonly do: 'again'; readonly afterMs: number; readonly because: string; readonly isFailure: boolean }
  /** Somebody has stopped it. */
  | { readonly do: 'stop' }

export type EndedRun = Pick<EngineResult, 'outcome' | 'because' | 'quarantine' | 'progress'>

/**
 * Failed runs before a migration is given up; each has had the engine's whole patience. In a row: one that found that the
 * target has moved, or was stopped by somebody, is followed by other work than what failed.
 */
const mostFailures = 3
/** So long it may be interrupted before or after the engine's work, until that is as bad as a run that failed. */
const interruptedMs = 600_000
const afterMoveMs = 1_000
const afterFailureMs = 10_000

/**
 * What becomes of a migration when a run of it has ended. A target that moved says nothing about the objects: the servers
 * are in the middle of an upgrade, and the work begins anew when they agree, however long that takes.
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

/** How many have failed in a row when this one has ended. */
export function failuresAfter(outcome: RunOutcome, before: number): number {
  return outcome.do === 'again' && outcome.isFailure ? before + 1 : 0
}

export type Interruption =
  | { readonly do: 'again' }
  /** It has been so for as long as a run may take that comes to nothing. */
  | { readonly do: 'count' }
  | Failing

/**
 * What becomes of a migration that is interrupted again and again beside the engine's work, for instance because what the
 * servers agree on cannot be read. A server that is away for a while costs it nothing, and nothing keeps it Running for ever
 * (behaviour.md, Q3).
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

/** Names the first object: upstream tells only what the server said, which need not name it (behaviour.md, Q10). */
function quarantineMessage({ quarantine, progress }: EndedRun): string {
  const { total, objects } = quarantine
  const [first] = objects
  const name = first?.namespace === undefined ? first?.name : `${first.namespace}/${first.name}`
  const others = total > 1 ? ` (and ${total - 1} more, see status.quarantine)` : ''
  const what = first
    ? `${name}: ${first.reason}: ${first.message}`
    : `${total} ${total === 1 ? 'object' : 'objects'} could not be rewritten`
  const counts = { left: total, total: Math.max(total, progress.total ?? 0) }
  return failureMessage(`${what}${others}`, counts)
}

/** Objects that are not yet, or cannot be, where they should be. */
export function countsOf({
  total,
  settled,
  quarantined,
}: Pick<EngineResult['progress'], 'total' | 'settled' | 'quarantined'>): Counts | undefined {
  return total === undefined ? undefined : { left: total - settled + quarantined, total }
}
