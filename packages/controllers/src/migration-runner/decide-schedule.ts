import { groupResourceText } from '@strata/api'
import { type ClaimDecision, inTurn, isEnded, type MigrationView } from '../migration-object/index.ts'

export interface ScheduleFacts {
  readonly migrations: readonly MigrationView[]
  /** Resources for which something is under way, of either group: nobody else begins there. */
  readonly busy: ReadonlySet<string>
  /** How many more may run. */
  readonly room: number
  /** By uid, for how long it is to be let alone yet. */
  readonly waitMs: (uid: string) => number
  /** Of one that has ended and says that it runs: how long whoever ended it may take to say otherwise. */
  readonly tidyAfterMs: (migration: MigrationView) => number
  /** Whether it may be taken, or is somebody else's. */
  readonly claimOf: (migration: MigrationView) => ClaimDecision
  /** How long ago it came to its end, by the clock on the wall. */
  readonly endedForMs: (migration: MigrationView) => number | undefined
  /** After how long migrations that came to an end are deleted; undefined: never. */
  readonly ttlMs: number | undefined
}

export interface Schedule {
  /** To be run, or gone on with. */
  readonly run: readonly MigrationView[]
  /** To be told that they are paused, and let go. */
  readonly pause: readonly MigrationView[]
  /** To be told that they were cancelled. */
  readonly cancel: readonly MigrationView[]
  /** To be tidied up after: they have ended and still say that they run. */
  readonly tidy: readonly MigrationView[]
  readonly remove: readonly MigrationView[]
  /** When to look again, if nothing changes. */
  readonly lookAgainMs: number | undefined
}

export const resourceKey = ({ resource }: Pick<MigrationView, 'resource'>): string =>
  groupResourceText(resource)

/**
 * What is to be done now. One migration per resource, whichever group it is of: two would rewrite the same objects, and
 * the one that ends first would tell what the other has not seen yet. Everybody who looks at the same objects decides the
 * same, so that two runners that believe to be the only one claim the same object, and one of them is refused.
 */
export function decideSchedule(facts: ScheduleFacts): Schedule {
  const { migrations, busy, room, ttlMs } = facts
  const tidy: MigrationView[] = []
  const cancel: MigrationView[] = []
  const ready: MigrationView[] = []
  const pause: MigrationView[] = []
  const waits: number[] = []
  for (const [key, members] of byResource(migrations)) {
    if (busy.has(key)) continue
    const left = members.filter((each) => isEnded(each) && each.saysRunning)
    const ended = left.filter((each) => facts.tidyAfterMs(each) <= 0)
    waits.push(...left.map(facts.tidyAfterMs).filter((afterMs) => afterMs > 0))
    const cancelled = members.filter((each) => !isEnded(each) && each.isCancelled)
    // One step per resource and look: what is written brings us back here.
    if (ended.length > 0) tidy.push(...ended.slice(0, 1))
    else if (cancelled.length > 0) cancel.push(...cancelled.slice(0, 1))
    else if (members.some((each) => isToPark(each, facts))) {
      pause.push(...members.filter((each) => isToPark(each, facts)).slice(0, 1))
    } else {
      const { next, afterMs } = decideNext(members, facts)
      if (next) ready.push(next)
      if (afterMs !== undefined) waits.push(afterMs)
    }
  }
  const expiries = migrations.flatMap((each) => {
    const endedForMs = ttlMs === undefined || !isEnded(each) ? undefined : facts.endedForMs(each)
    return endedForMs === undefined ? [] : [{ each, leftMs: (ttlMs ?? 0) - endedForMs }]
  })
  const remove = expiries.filter(({ each, leftMs }) => leftMs <= 0 && !each.saysRunning)
  waits.push(...expiries.filter(({ leftMs }) => leftMs > 0).map(({ leftMs }) => leftMs))
  return {
    run: ready.sort(inTurn).slice(0, Math.max(0, room)),
    pause,
    cancel,
    tidy,
    remove: remove.map(({ each }) => each),
    lookAgainMs: waits.length === 0 ? undefined : Math.min(...waits),
  }
}

/** Whose turn it is in one resource, or when somebody's may be. */
function decideNext(
  members: readonly MigrationView[],
  facts: ScheduleFacts,
): { readonly next?: MigrationView; readonly afterMs?: number } {
  const open = members.filter((each) => !isEnded(each)).sort(inTurn)
  // One that is paused keeps its place and not its resource. Otherwise: a command is interrupted and leaves its migration
  // paused, nobody comes back for it, and nothing of the resource is ever migrated again.
  const next = open.find(({ isPaused }) => !isPaused)
  if (next === undefined) return {}
  // Somebody may be at work on another one: a command that has just made it, or whoever has never heard of pauses.
  const others = open.filter((each) => each !== next && (each.claim !== undefined || each.isForeign))
  const afterMs = Math.max(facts.waitMs(next.uid), ...[next, ...others].map((each) => leftMs(each, facts)))
  return afterMs > 0 ? { afterMs } : { next }
}

/** For how long it is to be left to somebody else who does not say a word. */
function leftMs(view: MigrationView, { claimOf }: ScheduleFacts): number {
  const decision = claimOf(view)
  return decision.do === 'take' ? 0 : (decision.leftMs ?? Number.POSITIVE_INFINITY)
}

/** It is paused, and says that it runs or is somebody's; nobody is left who would tell it otherwise. */
function isToPark(view: MigrationView, facts: ScheduleFacts): boolean {
  const isTold = !view.saysRunning && view.claim === undefined
  if (!view.isPaused || isTold || isEnded(view)) return false
  return facts.waitMs(view.uid) <= 0 && leftMs(view, facts) <= 0
}

function byResource(migrations: readonly MigrationView[]): ReadonlyMap<string, readonly MigrationView[]> {
  return Map.groupBy(migrations, resourceKey)
}
