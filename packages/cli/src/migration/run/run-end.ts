import type { MigrationEvent, MigrationResult } from '@strata/controllers'
import type { Clock } from '@strata/world'
import type { RecordEnd, SaveOutcome } from '../records/record.ts'
import type { RunRecord } from '../records/run-record.ts'

/** Whether a run continues, pauses or ends; asked between objects. */
export function wantedOf(signal: AbortSignal, { lost }: Pick<RunRecord, 'lost'>): 'run' | 'pause' | 'cancel' {
  if (signal.aborted || lost === 'paused') return 'pause'
  return lost === undefined ? 'run' : 'cancel'
}

type Lost = NonNullable<RunRecord['lost']>

const lostTexts: Readonly<Record<Lost, Pick<MigrationResult, 'outcome' | 'because'>>> = {
  taken: { outcome: 'aborted', because: 'another process has taken it over' },
  deleted: { outcome: 'aborted', because: 'it was cancelled' },
  paused: { outcome: 'paused', because: 'it was paused' },
}

/** The result as the command reports it. Ctrl-C is reported as a stop, not as a pause. */
export function endOfRun(result: MigrationResult, lost: Lost | undefined): MigrationResult {
  if (lost !== undefined) return { ...result, ...lostTexts[lost], proof: 'unknown' }
  const isStopped = result.outcome === 'paused' || result.outcome === 'cancelled'
  return isStopped ? { ...result, outcome: 'paused', because: 'it was stopped' } : result
}

/**
 * The Events of the end, if that was saved: none if another process holds the object, or if the outcome is unknown. A
 * changed target ends this object: a command does not start again.
 */
export function eventsOfEnd(
  { outcome, proof, because }: RecordEnd,
  written: SaveOutcome | undefined,
): readonly MigrationEvent[] {
  if (written !== 'saved') return []
  if (outcome === 'succeeded') return [{ kind: 'succeeded', proof }]
  if (outcome === 'incomplete' || outcome === 'aborted') return [{ kind: 'failed', message: because }]
  return [outcome === 'failed' ? { kind: 'paused', because } : { kind: 'paused' }]
}

/** How long pending writes may take after Ctrl-C. */
const stopMs = 5_000

/** A signal that is aborted some time after its parent. */
export function hardStop(
  clock: Clock,
  parent: AbortSignal,
): { readonly signal: AbortSignal; dispose(): void } {
  const controller = new AbortController()
  let cancel = (): void => {}
  const onParent = (): void => {
    cancel = clock.after(stopMs, () => controller.abort(parent.reason))
  }
  if (parent.aborted) onParent()
  else parent.addEventListener('abort', onParent, { once: true })
  return {
    signal: controller.signal,
    dispose: () => {
      cancel()
      parent.removeEventListener('abort', onParent)
    },
  }
}
