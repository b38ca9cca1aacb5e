import { recordIn } from './checkers/stored-json.ts'
import type { History, Operation, Restore, ServerRun, WatchRun } from './history.ts'
import { agreementPrefix, exampleRecord } from './keys.ts'

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
    lost: before,
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
    // A list of any state may come from before the restore, through a server that has not noticed it.
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

/** A server whose entry is stored knows of it by then. */
const knowsWithinMs = 30_000

/**
 * In discovery a server shows what it wrote last, until it knows of an entry of its own in the restored store. How long it
 * takes to store that entry nothing bounds: the Lease in the backup may be that of an earlier run, and has to expire first.
 */
function mayShowThePast(
  history: History,
  restore: Restore,
  { view, startMs, servedBy }: History['observations'][number],
): boolean {
  if (view !== 'discovery') return false
  const { runs, restoresNoticed } = history
  return runs.some(({ writer, process, encodingTimesMs, toldMs = Number.POSITIVE_INFINITY }) => {
    if (!servedBy.has(writer) || toldMs >= restore.atMs) return false
    const noticed = restoresNoticed.find((each) => each.writer === writer && each.atMs >= restore.atMs)
    if (!noticed) return true
    if (encodingTimesMs.some((atMs) => atMs >= noticed.atMs && atMs <= startMs)) return false
    return startMs < enteredMs(history, restore, { writer, process }) + knowsWithinMs
  })
}

/** When a process first stored an entry of its own after a restore. Other servers keep the entry that the backup had. */
function enteredMs(
  { commits }: History,
  { commitsBefore }: Restore,
  { writer, process }: Pick<ServerRun, 'writer' | 'process'>,
): number {
  const key = `${agreementPrefix}${exampleRecord}`
  const stored = commits
    .slice(commitsBefore)
    .filter((commit) => commit.writer === writer)
    .find(({ changes }) =>
      changes.some(
        (change) =>
          change.kind === 'put' &&
          change.key === key &&
          recordIn(change.value).status.servers.some((each) => each.process === process),
      ),
    )
  return stored?.atMs ?? Number.POSITIVE_INFINITY
}

/**
 * Whether a process of the server has noticed the last restore: from then on the server shows nothing of the lost timeline, even
 * in a list of any age. Its processes that start later read the restored store.
 */
export function hasNoticedLastRestore(
  { restores, restoresNoticed }: Pick<History, 'restores' | 'restoresNoticed'>,
  server: string,
  atMs: number,
): boolean {
  const last = restores.findLast((each) => each.atMs <= atMs)
  if (!last) return false
  const isOfServer = (writer: string): boolean => writer === server || writer.startsWith(`${server}#`)
  return restoresNoticed.some(
    (each) => isOfServer(each.writer) && each.atMs >= last.atMs && each.atMs <= atMs,
  )
}

/**
 * A watch of the lost timeline: it goes on from a revision that a client may have seen before the restore. Two are not:
 *
 * The watch of a list of the newest state that was asked for after the restore, whatever its revision; or of a list of any state
 * through a server that had noticed the restore.
 * 1. B's commit is stored at 466. B has seen 465, and the answer is on its way.
 * 2. The store is restored to 452. B notices, never sees 466, and passes the revisions up to 465.
 * 3. A watcher lists through B, at the new 466, and watches from there. No client has seen the 466 that is lost.
 *
 * A watch that begins after the restore within the backup, and is notified of nothing that may be lost.
 * 1. B has seen 905, and is frozen. The store is at 946, and is restored to 942.
 * 2. B thaws. Its watch of the store resumes at 905, which both timelines have, and goes on with the restored one.
 * 3. A watcher resumes through B from 826. B has not noticed the restore, and notifies it of nothing but the restored timeline.
 */
export function isOfLostTimeline(run: WatchRun, { revision: kept, highest, atMs }: Restore): boolean {
  const { from, startMs, events, listedMs = 0 } = run
  if (from > highest || listedMs >= atMs) return false
  return (
    startMs < atMs || from > kept || events.some(({ revision }) => revision > kept && revision <= highest)
  )
}
