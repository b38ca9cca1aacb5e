import type { Claim } from './claim.ts'

/** Whose a migration is that has not ended, as whoever would like to see to it finds it. */
export interface ClaimFacts {
  readonly seeker: 'runner' | 'command'
  /**
   * Undefined: nobody has it, or whoever had it has let it go. `gone` is known: the kernel says so, or it is the term of
   * a leader before us.
   */
  readonly holder: { readonly by: Claim['by']; readonly is: 'us' | 'gone' | 'there' } | undefined
  /** It says that it runs, and bears no mark of anybody like us: upstream's own migrator, say. */
  readonly isForeign: boolean
  /** Nobody has begun it, and it is of a kind that kube-controller-manager runs by itself where it is told to. */
  readonly mayBecomeForeign?: boolean
  readonly isPaused: boolean
  /** How long nobody has written it, as far as we have seen, by our own clock. */
  readonly silentForMs: number
  /** Whether those live who run what nobody has claimed, as a command sees it. */
  readonly controllers: 'alive' | 'silent' | 'absent'
  /** Somebody wants it done by this command, here and now. */
  readonly takeOver: boolean
}

export type ClaimDecision =
  | { readonly do: 'take'; readonly because: string }
  | {
      readonly do: 'leave'
      readonly because: string
      /** For how long, if nothing is heard of whoever is at it; undefined: for as long as it is so. */
      readonly leftMs?: number
    }

export const claimTimes = {
  /** How often a command that has one says so. */
  renewEveryMs: 5_000,
  /** Of one that nobody has written for so long, whoever had it has died. */
  silenceMs: 20_000,
  /** Who runs a migration without saying who it is may be at work without a word for so long. */
  foreignSilenceMs: 600_000,
  /** Upstream's own migrator takes what it has heard of at once; so long it may be without a leader. */
  foreignStartMs: 30_000,
  /** A Lease that has stood still for so long is not renewed by anybody. */
  leaseSilenceMs: 15_000,
  /** Leaders that end take their time to let go. */
  courtesyMs: 3_000,
} as const

const take = (because: string): ClaimDecision => ({ do: 'take', because })

/**
 * Whether to take a migration or to leave it. Two that work on the same objects lose nothing, for each is written once;
 * but they would count each other's work as current, and overwrite each other's notes.
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

/** Dead with proof, or by its silence. */
function takeFrom({ by, is }: NonNullable<ClaimFacts['holder']>, facts: ClaimFacts): ClaimDecision {
  if (is === 'gone') return take('the process that ran it has ended')
  const who =
    by === 'runner' ? 'another runner' : by === 'command' ? 'another "strata migrate"' : 'another process'
  return waitFor(claimTimes.silenceMs, `${who} runs it`, facts)
}

/** Those that live get to it by themselves, and whoever leads takes over what another leader has left. */
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
