import { persistedHashesOf, type StorageStateStatus, settledStatus, unknownHash } from '@strata/api'
import { secondsOf } from './decide-trigger.ts'
import { staleLimitMs } from './stale-limit.ts'
import type { TriggerOptions } from './trigger-options.ts'

/** The last heartbeat of another reporter, and when this reporter first saw it, on its own monotonic clock. */
export interface SeenEntry {
  readonly heartbeat: string
  readonly sinceMs: number
}

export interface ReportFacts {
  /** Undefined if the state does not exist yet. */
  readonly status: StorageStateStatus | undefined
  readonly reporterID: string
  /** The hash in the discovery of this reporter's server. */
  readonly hash: string
  readonly seen: Readonly<Record<string, SeenEntry>>
  /** When this reporter looked before, on its own monotonic clock; undefined if it has just started. */
  readonly lastLookMs: number | undefined
  readonly nowMs: number
  readonly wallMs: number
  readonly options: Pick<TriggerOptions, 'periodMs' | 'staleAfterPeriods' | 'expiryPeriods'>
}

export interface Report {
  readonly status: StorageStateStatus
  readonly seen: Readonly<Record<string, SeenEntry>>
}

/**
 * How one reporter updates a StorageState (the migration KEP, "Extending the work flow"): it adds its hash to the persisted
 * ones, updates its entry, and removes entries that have not changed for three periods. It measures that by its own clock: by
 * the times in the entries, a clock that jumps would remove every live reporter at once.
 */
export function decideReport(facts: ReportFacts): Report {
  const { status, reporterID, hash, nowMs, wallMs, options } = facts
  const before = status?.currentStorageVersionHashes ?? []
  const others = before.filter((each) => each.reporterID !== reporterID)
  const seen: Record<string, SeenEntry> = {}
  for (const { reporterID: id, lastHeartbeatTime: heartbeat = '' } of others) {
    const earlier = facts.seen[id]
    seen[id] = earlier?.heartbeat === heartbeat ? earlier : { heartbeat, sinceMs: nowMs }
  }
  const expiryMs = options.expiryPeriods * options.periodMs
  const kept = others.filter(({ reporterID: id }) => nowMs - (seen[id]?.sinceMs ?? nowMs) < expiryMs)
  const own = {
    reporterID,
    currentStorageVersionHash: hash,
    lastHeartbeatTime: secondsOf(wallMs),
  }
  const persisted = [
    ...(status && mayHaveMissed(facts) ? [unknownHash] : []),
    ...persistedHashesOf(status ? { status } : {}),
    hash,
  ]
  return {
    seen,
    status: settledStatus({
      ...status,
      // A new state says Unknown alone: any version may be stored, so no hash is added.
      persistedStorageVersionHashes: status ? [...new Set(persisted)] : [unknownHash],
      currentStorageVersionHashes: [...kept, own].sort((a, b) => (a.reporterID < b.reporterID ? -1 : 1)),
    }),
  }
}

/** This reporter was away for too long, or no reporter ran before it. */
function mayHaveMissed({ status, lastLookMs, nowMs, wallMs, options }: ReportFacts): boolean {
  const limitMs = staleLimitMs(options, lastLookMs !== undefined)
  if (lastLookMs !== undefined) return nowMs - lastLookMs > limitMs
  const beats = [
    ...(status?.currentStorageVersionHashes ?? []).map((each) => each.lastHeartbeatTime),
    status?.lastHeartbeatTime,
  ].map((each) => Date.parse(each ?? '') || 0)
  return Math.abs(wallMs - Math.max(...beats)) > limitMs
}
