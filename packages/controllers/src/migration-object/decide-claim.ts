import type { Claim } from '@strata/insight'

/** The holder of an open migration, as seen by a process that wants to run it. */
export interface ClaimFacts {
  readonly seeker: 'runner' | 'command'
  /**
   * Undefined: there is no claim. `gone` is certain: the kernel says that the process has ended, or it was an earlier
   * leader.
   */
  readonly holder: { readonly by: Claim['by']; readonly is: 'us' | 'gone' | 'there' } | undefined
  /** Its Running condition is True, and Strata never claimed it: another migrator runs it. */
  readonly isForeign: boolean
  /** It is pending, and kube-controller-manager may run it. */
  readonly mayBecomeForeign?: boolean
  readonly isPaused: boolean
  /** How long this process has seen it unchanged, by its own clock. */
  readonly silentForMs: number
  /** Whether the controllers live, as a command sees it by their Lease. */
  readonly controllers: 'alive' | 'silent' | 'absent'
  /** The user gave --take-over. */
  readonly takeOver: boolean
}

export type ClaimDecision =
  | { readonly do: 'take'; readonly because: string }
  | {
      readonly do: 'leave'
      readonly because: string
      /** How long to leave it if it does not change; undefined: until something changes. */
      readonly leftMs?: number
    }

export const claimTimes = {
  /** How often a command renews its claim. */
  renewEveryMs: 5_000,
  /** A claimed migration that has not changed for so long is abandoned. */
  silenceMs: 20_000,
  /** How long another migrator may run without writing. */
  foreignSilenceMs: 600_000,
  /** kube-controller-manager starts a migration at once, but may be without a leader for so long. */
  foreignStartMs: 30_000,
  /** A Lease that has not changed for so long is abandoned. */
  leaseSilenceMs: 15_000,
  /** How long a leader may take to release its claims when it ends. */
  courtesyMs: 3_000,
} as const

const take = (because: string): ClaimDecision => ({ do: 'take', because })

/**
 * Whether to take a migration or to leave it. Two processes that migrate the same objects lose no data. But each counts
 * the other's work as already current, and they overwrite each other's progress.
 */
export function decideClaim(facts: ClaimFacts): ClaimDecision {
  const { seeker, holder, isForeign, mayBecomeForeign, isPaused, takeOver } = facts
  if (holder?.is === 'us') return take('it is ours')
  if (holder !== undefined && (holder.by !== 'runner' || seeker === 'runner')) return takeFrom(holder, facts)
  if (seeker === 'runner') {
    if (isForeign) return waitFor(claimTimes.foreignSilenceMs, 'another migrator runs it', facts)
    if (mayBecomeForeign)
      return waitFor(claimTimes.foreignStartMs, 'kube-controller-manager may run it', facts)
    return take('no process runs it')
  }
  if (holder === undefined && isPaused) return take('it was paused')
  if (takeOver) return take('--take-over')
  const foreign = isForeign
    ? waitFor(claimTimes.foreignSilenceMs, 'another migrator runs it', facts)
    : undefined
  return foreign?.do === 'leave' ? foreign : takeFromControllers(facts)
}

/** The holder has ended for certain, or has not written for too long. */
function takeFrom({ by, is }: NonNullable<ClaimFacts['holder']>, facts: ClaimFacts): ClaimDecision {
  if (is === 'gone') return take('the process that ran it has ended')
  const who =
    by === 'runner' ? 'another runner' : by === 'command' ? 'another "strata migrate"' : 'another process'
  return waitFor(claimTimes.silenceMs, `${who} runs it`, facts)
}

/** Live controllers start it by themselves, and a new leader takes over what the last one left. */
function takeFromControllers(facts: ClaimFacts): ClaimDecision {
  const { controllers, holder } = facts
  if (controllers === 'alive') {
    return { do: 'leave', because: 'the controllers run it (--take-over runs it here)' }
  }
  const looking = 'checking whether another process runs it'
  if (controllers === 'silent') return waitFor(claimTimes.leaseSilenceMs, looking, facts)
  if (holder === undefined || holder.is === 'gone') return take('no process runs it')
  return waitFor(claimTimes.courtesyMs, looking, facts)
}

function waitFor(patienceMs: number, because: string, { silentForMs }: ClaimFacts): ClaimDecision {
  const leftMs = patienceMs - silentForMs
  return leftMs <= 0
    ? take('the process that ran it shows no sign of life')
    : { do: 'leave', because, leftMs }
}
