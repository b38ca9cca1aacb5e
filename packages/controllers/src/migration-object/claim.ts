import type { Clock, ProcessMark } from '@strata/world'

/**
 * Says on a migration object which process sees to it, be it the controllers' or a command in somebody's terminal. Taken
 * and let go by a write that names the resourceVersion, so that of two who want it one is refused.
 */
export const claimAnnotation = 'strata.dev/claimed-by'
/** Written again and again by a command that has it. Whoever looks compares it with what it was, never with a clock. */
export const claimRenewedAnnotation = 'strata.dev/claim-renewed'

export interface Claim extends ProcessMark {
  /** The controllers' or a command; of one that cannot be read nobody knows. */
  readonly by: 'runner' | 'command' | 'somebody'
  /** Of this one run, or term. */
  readonly id: string
  readonly hostname: string
}

export type Annotations = Readonly<Record<string, string>>

/** Undefined where nobody claims the object. One that is not ours to read is somebody's too. */
export function claimIn(annotations: Annotations | undefined): Claim | undefined {
  const text = annotations?.[claimAnnotation]
  if (text === undefined || text === '') return undefined
  const unread: Claim = { by: 'somebody', id: text, hostname: '', bootId: '', pid: 0, startTicks: '' }
  try {
    const { by = unread.by, id = text, ...more }: Partial<Claim> = JSON.parse(text)
    const { hostname = '', bootId = '', pid = 0, startTicks = '' } = more
    return { by, id, hostname, bootId, pid, startTicks }
  } catch {
    return unread
  }
}

export const claimText = ({ by, id, hostname, bootId, pid, startTicks }: Claim): string =>
  JSON.stringify({ by, id, hostname, bootId, pid, startTicks })

/** What lets an object go: nobody has it, and it is not a stranger's either, who would be waited for. */
export const releasingAnnotations: Readonly<Record<string, string | null>> = {
  [claimAnnotation]: '',
  [claimRenewedAnnotation]: null,
}

/** Whether somebody like us has ever had it. */
export const wasClaimed = (annotations: Annotations | undefined): boolean =>
  annotations?.[claimAnnotation] !== undefined

/** How long something has stood as it is, as far as this process has seen, by its own monotonic clock. */
export class ChangeTimer {
  readonly #clock: Clock
  readonly #seen = new Map<string, { readonly mark: string; readonly sinceMs: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** To be told of each look; a mark that is another one begins anew. */
  unchangedForMs(key: string, mark: string): number {
    const nowMs = this.#clock.monotonicMs()
    const before = this.#seen.get(key)
    if (before?.mark === mark) return nowMs - before.sinceMs
    this.#seen.set(key, { mark, sinceMs: nowMs })
    return 0
  }

  /** Forgets all others, which are gone. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#seen.keys()) if (!keys.has(key)) this.#seen.delete(key)
  }
}
