import type { Clock, Processes, ProcessMark } from '@strata/world'

/**
 * Says on a migration object that one process, which is not the controllers', sees to it: `strata migrate` in somebody's
 * terminal. The controllers leave it alone for as long as whoever holds it goes on writing it.
 */
export const holdAnnotation = 'strata.dev/held-by'
/** Written again and again by whoever holds it. Whoever looks compares it with what it was, never with a clock. */
export const holdRenewedAnnotation = 'strata.dev/held-renewed'

export const holdTimes = {
  renewEveryMs: 5_000,
  /** Of an object that nobody has written for so long, whoever held it has died. */
  silenceMs: 20_000,
} as const

export interface Hold extends ProcessMark {
  /** Of this one run. */
  readonly id: string
  readonly hostname: string
}

export type Annotations = Readonly<Record<string, string>>

/** Undefined where nobody claims the object. One that is not ours to read is somebody's too. */
export function holdIn(annotations: Annotations | undefined): Hold | undefined {
  const text = annotations?.[holdAnnotation]
  if (text === undefined || text === '') return undefined
  try {
    const {
      id = text,
      hostname = '',
      bootId = '',
      pid = 0,
      startTicks = '',
    }: Partial<Hold> = JSON.parse(text)
    return { id, hostname, bootId, pid, startTicks }
  } catch {
    return { id: text, hostname: '', bootId: '', pid: 0, startTicks: '' }
  }
}

/** Who has died here is known to have; of others it shows only in their silence. */
export function isAbandoned(hold: Hold, processes: Pick<Processes, 'isGone'>, silentForMs: number): boolean {
  return silentForMs >= holdTimes.silenceMs || processes.isGone(hold)
}

/** How long something has stood as it is, as far as this process has seen, by its own monotonic clock. */
export class Stillness {
  readonly #clock: Clock
  readonly #seen = new Map<string, { readonly mark: string; readonly sinceMs: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** To be told of each look; a mark that is another one begins anew. */
  unmovedForMs(key: string, mark: string): number {
    const nowMs = this.#clock.monotonicMs()
    const before = this.#seen.get(key)
    if (before?.mark === mark) return nowMs - before.sinceMs
    this.#seen.set(key, { mark, sinceMs: nowMs })
    return 0
  }
}
