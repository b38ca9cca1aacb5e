import { groupResourceText } from '@strata/api'
import { isEnded, type MigrationView } from '@strata/insight'
import { type ClaimDecision, inTurn } from '../migration-object/index.ts'

export interface ScheduleFacts {
  readonly migrations: readonly MigrationView[]
  /** Resources with a task under way: no other starts there. */
  readonly busy: ReadonlySet<string>
  /** How many more migrations may run. */
  readonly room: number
  /** How long to wait before the next try, by uid. */
  readonly waitMs: (uid: string) => number
  /** How long an ended migration whose Running condition is True is left to the migrator that ended it. */
  readonly tidyAfterMs: (migration: MigrationView) => number
  /** Whether this process may claim it. */
  readonly claimOf: (migration: MigrationView) => ClaimDecision
  /** How long ago it ended, by the wall clock. */
  readonly endedForMs: (migration: MigrationView) => number | undefined
  /** Ended migrations are deleted after this time; undefined: never. */
  readonly ttlMs: number | undefined
}

export interface Schedule {
  /** To start or to resume. */
  readonly run: readonly MigrationView[]
  /** To mark as paused, and to release. */
  readonly pause: readonly MigrationView[]
  /** To end as cancelled. */
  readonly cancel: readonly MigrationView[]
  /** Ended, with a Running condition that is still True: to correct. */
  readonly tidy: readonly MigrationView[]
  readonly remove: readonly MigrationView[]
  /** When to decide again, if nothing changes. */
  readonly lookAgainMs: number | undefined
}

export const resourceKey = ({ resource }: Pick<MigrationView, 'resource'>): string =>
  groupResourceText(resource)

/**
 * Decides what to do now. One migration per resource runs at a time, of either group: two would rewrite the same objects. All
 * runners use the same order (`inTurn`). So two runners that both believe to lead claim the same object, and one of them is
 * refused.
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
    // One step per resource and reconcile: its write triggers the next one.
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

/** The migration of a resource that runs next, or when to look again. */
function decideNext(
  members: readonly MigrationView[],
  facts: ScheduleFacts,
): { readonly next?: MigrationView; readonly afterMs?: number } {
  const open = members.filter((each) => !isEnded(each)).sort(inTurn)
  // A paused migration does not block the resource. Otherwise: a command is interrupted and leaves its migration paused, no
  // user resumes it, and nothing of the resource is ever migrated again.
  const next = open.find(({ isPaused }) => !isPaused)
  if (next === undefined) return {}
  // Another process may run another one: a command that has just created it, or a migrator that does not know pauses.
  const others = open.filter((each) => each !== next && (each.claim !== undefined || each.isForeign))
  const afterMs = Math.max(facts.waitMs(next.uid), ...[next, ...others].map((each) => leftMs(each, facts)))
  return afterMs > 0 ? { afterMs } : { next }
}

/** How long it is left to another process that does not write. */
function leftMs(view: MigrationView, { claimOf }: ScheduleFacts): number {
  const decision = claimOf(view)
  return decision.do === 'take' ? 0 : (decision.leftMs ?? Number.POSITIVE_INFINITY)
}

/** It is paused, but its Running condition is True or it is claimed, and no live process will correct that. */
function isToPark(view: MigrationView, facts: ScheduleFacts): boolean {
  const isTold = !view.saysRunning && view.claim === undefined
  if (!view.isPaused || isTold || isEnded(view)) return false
  return facts.waitMs(view.uid) <= 0 && leftMs(view, facts) <= 0
}

function byResource(migrations: readonly MigrationView[]): ReadonlyMap<string, readonly MigrationView[]> {
  return Map.groupBy(migrations, resourceKey)
}
