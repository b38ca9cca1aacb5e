import type { StorageAgreement } from '@strata/api'
import type { History, ObservedCommit, Restore } from '../history.ts'
import { agreementPrefix, fencedPrefixes } from '../keys.ts'
import { isOfLostTimeline, timelinesOf } from '../timelines.ts'
import { recordIn } from './stored-json.ts'
import type { Checker, Violation } from './violation.ts'

type Found = Omit<Violation, 'checker'>

/**
 * Rule 19, of the whole history of a store that was restored from a backup. What was sent before the restore is not stored once
 * the record of its resource has moved; no watch or list goes on from one timeline into the next; and when everything has come
 * to rest, a server has noticed if one could, and every record of the backup tells of the gap in an epoch that was never there
 * before.
 */
export const restoredStore: Checker = {
  name: 'restored-store',
  *check(history) {
    for (const [index, restore] of history.restores.entries()) {
      const until = history.restores[index + 1]?.commitsBefore
      const after = history.commits.slice(restore.commitsBefore, until)
      yield* lateCommits(after, restore, history)
      if (wasNoticed(history, restore) || canNotice(history, index)) yield* spanningWatches(history, restore)
    }
    const last = history.restores.at(-1)
    if (last && history.convergence) yield* untold(history, last)
  },
}

/** By a strict server: a loose one guards nothing by the record (rule 14). */
function* lateCommits(
  after: readonly ObservedCommit[],
  { atMs: restoredMs }: Restore,
  { runs }: History,
): Iterable<Found> {
  const strict = new Set(runs.filter(({ part }) => part.guarantee === 'strict').map(({ writer }) => writer))
  const moved = new Set<string>()
  for (const { changes, sentMs, writer, atMs } of after) {
    for (const { key } of changes) {
      const [record = ''] = [...fencedPrefixes].find(([, prefix]) => key.startsWith(prefix)) ?? []
      if (!moved.has(record) || sentMs >= restoredMs || !strict.has(writer)) continue
      const text = `${writer} stored ${key}, sent ${(restoredMs - sentMs).toFixed(0)} ms before the restore, although the record has moved since`
      yield { atMs, text }
    }
    for (const { key } of changes) {
      if (key.startsWith(agreementPrefix)) moved.add(key.slice(agreementPrefix.length))
    }
  }
}

/** A watch from before may tell what is lost, until its server has noticed; it may not go on with what is new. */
function* spanningWatches(history: History, restore: Restore): Iterable<Found> {
  const { watches, endMs, convergence } = history
  for (const run of watches) {
    if (!isOfLostTimeline(run, restore)) continue
    const { watcher, server, prefix, from, events, end, startMs } = run
    const what = `watch of ${prefix} by ${watcher} through ${server} from ${from}`
    const next = events.find(({ revision, atMs }) => atMs > restore.atMs && revision > restore.highest)
    if (next) {
      yield { atMs: next.atMs, text: `${what}: goes on to ${next.revision} after a restore` }
    }
    if (convergence && !end && startMs < convergence.atMs) {
      yield { atMs: endMs, text: `${what}: is open still, long after a restore` }
    }
  }
}

/**
 * Whether a server that had seen a lost change got an older answer from the restored store. Otherwise it may be that none can
 * tell, and clients resume as they can (agreement.md, what is not covered):
 *
 * 1. A is frozen at 300, and B is at 492. The store is restored to 489.
 * 2. B asks; its questions are lost on the way, and B is killed 2.5 s after the restore.
 * 3. B starts again and A thaws: everything that they know is in the backup.
 */
function canNotice({ restoresShown }: History, index: number): boolean {
  return restoresShown.some(({ timeline }) => timeline === index + 1)
}

function wasNoticed({ restoresNoticed }: History, restore: Restore): boolean {
  return restoresNoticed.some(({ atMs }) => atMs >= restore.atMs)
}

function* untold(history: History, restore: Restore): Iterable<Found> {
  if (!wasNoticed(history, restore)) {
    if (canNotice(history, history.restores.length - 1))
      yield { atMs: history.endMs, text: 'no server has noticed the restore' }
    return
  }
  const timelines = timelinesOf(history)
  const { commits = [] } = timelines.at(-1) ?? {}
  const isAfter = ({ atMs }: ObservedCommit): boolean => atMs >= restore.atMs
  const inBackup = commits.filter((each) => !isAfter(each))
  const lost = epochsBesides(timelines.slice(0, -1), inBackup)
  const marked = new Set<string>()
  const last = new Map<string, number>()
  for (const [name, { status }] of recordsPut(commits.filter(isAfter))) {
    if (status.recordingGap?.reason === 'StoreRestored') marked.add(name)
    last.set(name, status.epoch)
  }
  for (const name of new Set([...recordsPut(inBackup)].map(([each]) => each))) {
    if (!marked.has(name)) yield { atMs: history.endMs, text: `${name} has no gap of the restore` }
    const epoch = last.get(name)
    if (epoch === undefined || !lost.has(`${name} ${epoch}`)) continue
    yield { atMs: history.endMs, text: `${name} is in epoch ${epoch}, in which it was before the restore` }
  }
}

/** Epochs that the backup lacks, each with its record's name. They are drawn by lot: one that was lost may be higher. */
function epochsBesides(timelines: readonly History[], inBackup: readonly ObservedCommit[]): Set<string> {
  const epochsIn = (commits: readonly ObservedCommit[]): string[] =>
    [...recordsPut(commits)].map(([name, { status }]) => `${name} ${status.epoch}`)
  const lost = new Set(timelines.flatMap(({ commits }) => epochsIn(commits)))
  for (const kept of epochsIn(inBackup)) lost.delete(kept)
  return lost
}

function* recordsPut(commits: readonly ObservedCommit[]): Iterable<[string, StorageAgreement]> {
  for (const { changes } of commits) {
    for (const change of changes) {
      if (change.kind !== 'put' || !change.key.startsWith(agreementPrefix)) continue
      yield [change.key.slice(agreementPrefix.length), recordIn(change.value)]
    }
  }
}
