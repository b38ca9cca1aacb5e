/** What is known about a migration of this resource that is not over. */
export interface RoleFacts {
  /** Undefined if there is none: then there is nothing to take into account. */
  readonly open:
    | {
        /** Whether a process has claimed it, and still lives. */
        readonly claim: 'none' | 'alive' | 'abandoned'
        readonly isPaused: boolean
        /** How long nobody has written it, as far as we have seen. */
        readonly silentForMs: number
      }
    | undefined
  /** Whether those live who run what nobody has claimed. */
  readonly controllers: 'alive' | 'silent' | 'absent'
  /** Somebody wants it here and now. */
  readonly takeOver: boolean
}

export type Role =
  | { readonly do: 'run'; readonly because: string }
  | { readonly do: 'follow'; readonly because: string }

export const roleTimes = {
  /** The controllers write at least once in this time. */
  silenceMs: 15_000,
  /** Nobody is there who could have begun. */
  courtesyMs: 3_000,
} as const

/**
 * Whether to do the work or to watch it being done. Two that do it at once lose nothing, for each object is written
 * once; but they would count each other's work as current, and overwrite each other's notes.
 */
export function decideRole({ open, controllers, takeOver }: RoleFacts): Role {
  if (open === undefined) return { do: 'run', because: 'nobody is at it' }
  const { claim, isPaused, silentForMs } = open
  if (claim === 'abandoned') return { do: 'run', because: 'the process that was at it is gone' }
  if (claim === 'alive') return { do: 'follow', because: 'another "strata migrate" is at it' }
  if (isPaused) return { do: 'run', because: 'it was paused' }
  if (takeOver) return { do: 'run', because: '--take-over' }
  if (controllers === 'alive') {
    return { do: 'follow', because: 'the controllers see to it (--take-over does it here)' }
  }
  const patienceMs = controllers === 'absent' ? roleTimes.courtesyMs : roleTimes.silenceMs
  if (silentForMs >= patienceMs) return { do: 'run', because: 'nobody is at it' }
  return { do: 'follow', because: 'looking whether somebody is at it' }
}
