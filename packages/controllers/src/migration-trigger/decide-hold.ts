import type { ReportedHash } from '@strata/api'
import type { TriggerOptions } from './trigger-options.ts'

/** The last heartbeat of one reporter that this leader has seen. */
export interface SeenReporter {
  readonly heartbeat: string
  /** When it was first seen with this heartbeat, on the leader's own monotonic clock. */
  readonly sinceMs: number
  /** Whether this leader has seen the heartbeat change. Then its age is measured by our own clock, not by the time in it. */
  readonly hasMoved: boolean
  /** How many of its polls showed the hash that all reporters show now. */
  readonly polls: number
}

/**
 * The memory of a leader about one resource, for its term. A new leader has not seen the states before, so the time of
 * agreement starts again.
 */
export interface HoldMemory {
  /** The hash that all reporters show; undefined while they differ. */
  readonly hash: string | undefined
  /** The record and its epoch, if there is a record. A new encryption key changes the epoch, not the hash. */
  readonly epoch?: string | undefined
  readonly sinceMs: number
  readonly reporters: Readonly<Record<string, SeenReporter>>
}

export interface HoldFacts {
  readonly entries: readonly ReportedHash[]
  readonly memory: HoldMemory | undefined
  readonly nowMs: number
  readonly wallMs: number
  readonly options: Pick<TriggerOptions, 'periodMs' | 'equalPolls' | 'jitterAllowance' | 'expiryPeriods'>
}

export interface Hold {
  readonly memory: HoldMemory
  /** All reporters have shown the same hash for long enough, and none is late. */
  readonly isReady: boolean
  readonly because: string
  /** Reporters that have been silent for too long. */
  readonly expired: readonly string[]
}

/**
 * The migration KEP, "Extending the work flow": all hashes are identical in as many polls as required, and no heartbeat is older
 * than a period. The polls of each reporter count from the one that made all hashes equal. So the last reporter to change has to
 * poll again, which takes a period.
 */
export function decideHold({ entries, memory, nowMs, wallMs, options }: HoldFacts): Hold {
  const hashes = new Set(entries.map((each) => each.currentStorageVersionHash))
  const hash = hashes.size === 1 ? entries[0]?.currentStorageVersionHash : undefined
  const isSame = hash !== undefined && memory?.hash === hash
  const reporters: Record<string, SeenReporter> = {}
  for (const { reporterID, lastHeartbeatTime: heartbeat = '' } of entries) {
    const before = memory?.reporters[reporterID]
    const moved = before !== undefined && before.heartbeat !== heartbeat
    reporters[reporterID] = {
      heartbeat,
      sinceMs: before && !moved ? before.sinceMs : nowMs,
      hasMoved: moved || before?.hasMoved === true,
      polls: isSame && before ? before.polls + (moved ? 1 : 0) : 1,
    }
  }
  const next = { hash, sinceMs: isSame && memory ? memory.sinceMs : nowMs, reporters }
  const expired = Object.entries(reporters)
    .filter(([, { sinceMs }]) => nowMs - sinceMs >= options.expiryPeriods * options.periodMs)
    .map(([id]) => id)
  return { memory: next, expired, ...readiness(next, nowMs, wallMs, options) }
}

function readiness(
  { hash, reporters }: HoldMemory,
  nowMs: number,
  wallMs: number,
  { periodMs, equalPolls, jitterAllowance }: HoldFacts['options'],
): Pick<Hold, 'isReady' | 'because'> {
  const not = (because: string) => ({ isReady: false, because })
  if (hash === undefined) return not('servers show different hashes')
  const limitMs = periodMs * (1 + jitterAllowance)
  for (const [id, seen] of Object.entries(reporters)) {
    // Times in entries come from other clocks: they count only until this leader has seen the heartbeat change.
    const ageMs = seen.hasMoved
      ? nowMs - seen.sinceMs
      : Math.max(nowMs - seen.sinceMs, Math.abs(wallMs - Date.parse(seen.heartbeat)) || 0)
    if (seen.heartbeat === '') return not(`${id} has never reported`)
    if (ageMs > limitMs) return not(`${id} last reported ${Math.round(ageMs / 1000)} s ago`)
    if (seen.polls < equalPolls) return not(`${id} has shown ${hash} in ${seen.polls} of ${equalPolls} polls`)
  }
  return { isReady: true, because: `all have shown ${hash} in ${equalPolls} polls` }
}
