import type { ServerStatus } from '@strata/insight'

/** A server that is there, or one that has just left. */
export interface ServerPlace {
  readonly server: ServerStatus
  /** When it was gone; undefined: it is there. */
  readonly leftMs: number | undefined
}

/** A server that is started anew, as in an upgrade, is back by then. */
const keptMs = 60_000

/**
 * A server that leaves keeps its place for a while: in an upgrade each one leaves and comes back, and the columns of all others
 * would move twice.
 */
export function keepPlaces(
  before: readonly ServerPlace[],
  servers: readonly ServerStatus[],
  nowMs: number,
): readonly ServerPlace[] {
  const names = new Set(servers.map(({ name }) => name))
  const left = before
    .filter(({ server }) => !names.has(server.name))
    .map(({ server, leftMs = nowMs }) => ({
      server: { ...server, hasLease: false, silentSeconds: undefined },
      leftMs,
    }))
    .filter(({ leftMs }) => nowMs - leftMs < keptMs)
  return [...servers.map((server) => ({ server, leftMs: undefined })), ...left].sort(
    (a, b) => numberOf(a) - numberOf(b),
  )
}

/** S2 comes before S10. */
const numberOf = ({ server: { name } }: ServerPlace): number => Number(/\d+$/.exec(name)?.[0] ?? 0)
