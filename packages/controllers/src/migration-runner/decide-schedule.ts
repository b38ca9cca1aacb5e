import { groupResourceText } from '@strata/api'
import { holdTimes } from '../migrator/index.ts'
import { isEnded, type MigrationView } from './migration-view.ts'

export interface ScheduleFacts {
  readonly migrations: readonly MigrationView[]
  /** Resources for which something is under way, of either group: nobody else begins there. */
  readonly busy: ReadonlySet<string>
  /** How many more may run. */
  readonly room: number
  /** By uid, for how long it is to be let alone yet. */
  readonly waitMs: (uid: string) => number
  /** For how long a migration that somebody else runs has not changed, as far as we have watched. */
  readonly silentMs: (uid: string) => number
  /** Whether somebody who claims things began after us: then they lead, and we have not noticed yet. */
  readonly isRival: (claimant: string) => boolean
  /** How long ago it came to its end, by the clock on the wall. */
  readonly endedForMs: (migration: MigrationView) => number | undefined
  /** After how long migrations that came to an end are deleted; undefined: never. */
  readonly ttlMs: number | undefined
}

export interface Schedule {
  /** To be run, or gone on with. */
  readonly run: readonly MigrationView[]
  /** To be told that they were cancelled. */
  readonly cancel: readonly MigrationView[]
  /** To be tidied up after: they have ended and still say that they run. */
  readonly tidy: readonly MigrationView[]
  readonly remove: readonly MigrationView[]
  /** When to look again, if nothing changes. */
  readonly lookAgainMs: number | undefined
}

/** Who runs a migration without saying who it is may be at work without a word for so long. */
export const foreignPatienceMs = 600_000

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
  const waits: number[] = []
  for (const [key, members] of byResource(migrations)) {
    if (busy.has(key)) continue
    const ended = members.filter((each) => isEnded(each) && each.saysRunning)
    const cancelled = members.filter((each) => !isEnded(each) && each.isCancelled)
    // One step per resource and look: what is written brings us back here.
    if (ended.length > 0) tidy.push(...ended.slice(0, 1))
    else if (cancelled.length > 0) cancel.push(...cancelled.slice(0, 1))
    else {
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
    run: ready.sort(inOrder).slice(0, Math.max(0, room)),
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
  const { waitMs, silentMs } = facts
  const left = (each: MigrationView): number => patienceWith(each, facts) - silentMs(each.uid)
  const open = members.filter((each) => !isEnded(each)).sort(inOrder)
  // One that is paused keeps its place and not its resource. Otherwise: a command is interrupted and leaves its migration
  // paused, nobody comes back for it, and nothing of the resource is ever migrated again.
  const next = open.find(({ isPaused }) => !isPaused)
  if (next === undefined) return {}
  // Somebody may still be at work on it: a command that has not begun yet, or whoever has never heard of pauses.
  const others = open.filter(({ isPaused, isHeld, phase }) => isPaused && (isHeld || phase === 'running'))
  const afterMs = Math.max(waitMs(next.uid), left(next), ...others.map(left))
  return afterMs > 0 ? { afterMs } : { next }
}

/** For how long it is to be left to somebody else who does not say a word. */
function patienceWith(
  { isHeld, phase, claimedBy, progress }: MigrationView,
  { isRival }: ScheduleFacts,
): number {
  if (isHeld) return holdTimes.silenceMs
  // Without that, two that both believe to lead would take the claim from each other for as long as it lasts.
  if (claimedBy !== undefined && isRival(claimedBy)) return holdTimes.silenceMs
  // It says that it runs, and bears no mark of ours: upstream's own migrator, say.
  const isForeign = phase === 'running' && claimedBy === undefined && progress.target === undefined
  return isForeign ? foreignPatienceMs : Number.NEGATIVE_INFINITY
}

function byResource(migrations: readonly MigrationView[]): ReadonlyMap<string, readonly MigrationView[]> {
  return Map.groupBy(migrations, resourceKey)
}

/** What was begun, then by priority, then the oldest, then by name: the same for everybody who looks. */
function inOrder(a: MigrationView, b: MigrationView): number {
  return (
    Number(b.phase === 'running') - Number(a.phase === 'running') ||
    b.priority - a.priority ||
    compareText(a.createdAt, b.createdAt) ||
    compareText(a.name, b.name) ||
    compareText(a.group, b.group)
  )
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
