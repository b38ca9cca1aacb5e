import type { AgreementStatus } from '@strata/api'
import type { Revision } from '@strata/server/store'
import type { History, MigrationRun } from '../history.ts'
import { aggregatedRecord, fencedPrefixes } from '../keys.ts'
import type { Stored, StoreLog } from '../store-log.ts'
import { claimsOf } from './migration-claims.ts'
import { replay } from './records.ts'
import type { Checker } from './violation.ts'

/**
 * What a migration says that has succeeded. "Proven": its epoch stood at some moment after its last look began; at the last such
 * moment before it said so nothing was stored in another version, nor is anything afterwards while the epoch stands. "Observed
 * clean" says less: nothing that was stored in another version when the run began is so at its end.
 */
export const provenClean: Checker = {
  name: 'proven-clean',
  *check(history, log) {
    const epochs = epochsOf(history)
    for (const run of claimsOf(history)) {
      if (run.end?.outcome !== 'succeeded' || run.target.how !== 'record') continue
      if (!fencedPrefixes.has(run.record)) continue
      // What is said of the aggregated kind is compared with the store that it is in.
      if (history.origins.length > 0 && run.record === aggregatedRecord) continue
      const spans = epochs.get(run.record) ?? []
      const span = spans.find(({ epoch }) => epoch === run.target.epoch)
      for (const text of problemsOf(run, span, log)) {
        const { encodingVersion, epoch } = run.target
        const what = `${run.record} was said to be ${encodingVersion}, ${run.end.proof} in epoch ${epoch}`
        yield { atMs: run.end.endMs, text: `${what}: ${text}` }
      }
    }
  },
}

/** A view of at most 60 s and 10 s on the way (rule 14), on the fastest clock. */
const looseMs = 0.95 * 70_000

interface Span {
  /** The revision of the commit that ended it. */
  toRevision: Revision
  readonly epoch: number
  /** The key that all write under in it; undefined if they are not one. */
  readonly writeKey: string | undefined
  readonly fromMs: number
  toMs: number
}

function epochsOf(history: History): ReadonlyMap<string, readonly Span[]> {
  const epochs = new Map<string, Span[]>()
  for (const { commit, state, written, apply } of replay(history)) {
    apply()
    for (const name of written.keys()) {
      const status = state.records.get(name)?.status
      if (!status) continue
      const spans = epochs.get(name) ?? []
      const last = spans.at(-1)
      if (last?.epoch === status.epoch) continue
      if (last) {
        last.toMs = commit.atMs
        last.toRevision = commit.changes[0]?.revision ?? 0
      }
      const [toMs, toRevision] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
      const span = {
        epoch: status.epoch,
        writeKey: writeKeyOf(status),
        fromMs: commit.atMs,
        toMs,
        toRevision,
      }
      epochs.set(name, [...spans, span])
    }
  }
  return epochs
}

/** What an epoch is about names it, also while there is no server. */
function writeKeyOf({ encodings }: AgreementStatus): string | undefined {
  const [only, ...others] = new Set(encodings.map((each) => each.split(' ')[1]))
  return others.length === 0 ? only : undefined
}

function* problemsOf(
  { record, target, startMs, lastLookMs, end, revision }: MigrationRun,
  span: Span | undefined,
  log: StoreLog,
): Iterable<string> {
  if (!end) return
  const isProven = end.proof === 'proven'
  if (!span || span.toMs < lastLookMs || span.fromMs > end.endMs) {
    yield 'the epoch was over before it was looked at for the last time'
    return
  }
  if (isProven && revision !== undefined && revision >= span.toRevision) {
    yield `it was read at revision ${revision}, and the epoch ended at ${span.toRevision}`
  }
  const momentMs = Math.min(end.endMs, span.toMs)
  const prefix = fencedPrefixes.get(record) ?? ''
  const isStale = ({ object }: Stored): boolean =>
    object !== undefined &&
    (object.apiVersion !== target.encodingVersion ||
      (span.writeKey !== undefined && object.under !== span.writeKey))
  for (const [key, versions] of log.keys) {
    if (!key.startsWith(prefix)) continue
    const stood = versions.findLast(({ atMs }) => atMs < momentMs)
    if (stood && isStale(stood) && (isProven || stood.atMs < startMs)) {
      yield `${key} is stored in ${stood.object?.apiVersion} under ${stood.object?.under} since ${stood.atMs.toFixed(0)} ms`
    }
    // A loose server writes what it has known until a minute after the switch, and that takes a while to arrive: who claims
    // anything sooner has not waited (rule 14).
    if (!isProven && momentMs > span.fromMs + looseMs) continue
    const later = versions.find((each) => each.atMs >= momentMs && each.atMs < span.toMs && isStale(each))
    if (later)
      yield `${later.writer} stored ${key} in ${later.object?.apiVersion} at ${later.atMs.toFixed(0)} ms`
  }
}
