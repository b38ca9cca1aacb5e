import type { History, Operation, Restore, WatchRun } from './history.ts'

/**
 * The timelines of a store that was restored from backups: one for each restore, and the one before. Each is a history of its
 * own, which checkers look at by itself. It begins with what the backup had, and ends where the next restore cut it off.
 */
export function timelinesOf(history: History): readonly History[] {
  const [first, ...later] = history.restores
  if (!first) return [history]
  const before = cutAt(history, first)
  const after = resumedFrom(history, before, first)
  return [before, ...timelinesOf({ ...after, restores: later.map((each) => moved(each, first, before)) })]
}

/** Which commit of the next timeline a later restore came after. */
function moved(later: Restore, first: Restore, before: History): Restore {
  const kept = before.commits.filter((commit) => isInBackup(commit, first)).length
  return { ...later, commitsBefore: later.commitsBefore - first.commitsBefore + kept }
}

const isInBackup = ({ changes }: History['commits'][number], { revision }: Restore): boolean =>
  changes.every((change) => change.revision <= revision)

/** What was asked and not answered in this timeline: nothing is promised of it. */
function unanswered({ end: _, ...asked }: Operation): Operation {
  return asked
}

/** Everything up to a restore. What was still open then has had no answer. */
function cutAt(history: History, { atMs, commitsBefore }: Restore): History {
  const { convergence: _, ...rest } = history
  return {
    ...rest,
    restores: [],
    commits: history.commits.slice(0, commitsBefore),
    operations: history.operations
      .filter(({ startMs }) => startMs < atMs)
      .map((each) => (each.end && each.end.endMs < atMs ? each : unanswered(each))),
    observations: history.observations.filter(({ end }) => end && end.endMs < atMs),
    lists: history.lists.filter(({ endMs }) => endMs < atMs),
    watches: history.watches
      .filter(({ startMs }) => startMs < atMs)
      .map(({ end, events, ...run }) => ({
        ...{ ...run, events: events.filter((event) => event.atMs < atMs) },
        ...(end && end.endMs < atMs ? { end } : {}),
      })),
    migrations: history.migrations
      .filter(({ startMs }) => startMs < atMs)
      .map(({ end, ...run }) => (end && end.endMs < atMs ? { ...run, end } : run)),
    migrationWrites: history.migrationWrites.filter((write) => write.atMs < atMs),
    bugs: history.bugs.filter((bug) => bug.atMs < atMs),
    endMs: atMs,
  }
}

/**
 * What the backup had, and everything after the restore. Who was told something by what the backup lacks was told it in
 * another timeline; a commit of theirs may still arrive, of which `restored-store` says how long.
 */
function resumedFrom(history: History, before: History, restore: Restore): History {
  const { atMs, revision } = restore
  const isKept = ({ end }: Operation): boolean => end !== undefined && end.endRevision <= revision
  return {
    ...history,
    resumedMs: atMs,
    commits: [
      ...before.commits.filter((commit) => isInBackup(commit, restore)),
      ...history.commits.slice(restore.commitsBefore),
    ],
    operations: [
      ...before.operations.map((each) => (isKept(each) ? each : unanswered(each))),
      ...history.operations.filter(({ startMs }) => startMs >= atMs),
    ],
    observations: history.observations.filter(
      (each) => each.startMs >= atMs && !mayShowThePast(history, restore, each),
    ),
    // Who asks for any state may be shown one of before the restore, by a server that has not noticed it.
    lists: history.lists.filter(({ startMs, how, revision: shown }) => {
      const mayBeOfThePast = how === 'any' || how === 'pinned'
      return startMs >= atMs && !(mayBeOfThePast && shown <= restore.highest)
    }),
    watches: history.watches.filter((run) => run.startMs >= atMs && !isOfLostTimeline(run, restore)),
    migrations: history.migrations.filter(({ startMs }) => startMs >= atMs),
    migrationWrites: history.migrationWrites.filter((write) => write.atMs >= atMs),
    bugs: history.bugs.filter((bug) => bug.atMs >= atMs),
  }
}

/** A server that has noticed a restore has registered anew by then, and discovery shows what it writes now. */
const registersWithinMs = 30_000

/** In discovery a server shows what it wrote last, until it has registered in the restored store. */
function mayShowThePast(
  { runs, restoresNoticed }: History,
  restore: Restore,
  { view, startMs, servedBy }: History['observations'][number],
): boolean {
  if (view !== 'discovery') return false
  return runs.some(({ writer, toldMs = Number.POSITIVE_INFINITY }) => {
    if (!servedBy.has(writer) || toldMs >= restore.atMs) return false
    const noticed = restoresNoticed.find((each) => each.writer === writer && each.atMs >= restore.atMs)
    return noticed === undefined || startMs < noticed.atMs + registersWithinMs
  })
}

/**
 * It goes on from a revision that may have been seen before the restore. A list of the newest state that was asked for after
 * the restore is of the restored store, whatever its revision:
 *
 * 1. B's commit is stored at 466. B has seen 465, and the answer is on its way.
 * 2. The store is restored to 452. B notices, is told nothing of 466, and passes the revisions up to 465.
 * 3. A watcher lists through B, at the new 466, and watches from there. No client has seen the 466 that is lost.
 */
export function isOfLostTimeline({ from, listedMs = 0 }: WatchRun, { highest, atMs }: Restore): boolean {
  return from <= highest && listedMs < atMs
}
