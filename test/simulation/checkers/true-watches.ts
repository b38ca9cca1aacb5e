import type { History, ShownObject, WatchRun } from '../history.ts'
import { isClientKey } from '../keys.ts'
import type { StoreLog } from '../store-log.ts'
import type { Checker } from './violation.ts'

/** What a watch has to tell of one change. */
interface Due extends ShownObject {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly atMs: number
}

/**
 * What a watch tells from a revision on is what the store did from there on: every change of its collection, once, in the
 * store's order, as what it was. A bookmark promises that nothing is missing up to its revision. A watch may end anywhere, and
 * its follower goes on from the last revision that it received, through any server: so an event that is missing at the end of
 * one watch and in the next is missing for ever. The checker sees that too, for the next watch begins where this one ended.
 */
export const trueWatches: Checker = {
  name: 'true-watches',
  *check(history, log) {
    const dues = new Dues(history, log)
    for (const run of history.watches) {
      const problem = problemOf(run, dues.of(run.prefix))
      if (problem) yield { atMs: problem.atMs, text: `${describe(run)}: ${problem.text}` }
    }
  },
}

/** How soon a watch tells what has happened when nothing goes wrong any more; and a follower is back at it. */
const promptMs = 10_000

/** At the end, each follower of a built-in collection has received every event. */
export const completeWatches: Checker = {
  name: 'complete-watches',
  ofTheEnd: true,
  *check(history, log) {
    if (!history.convergence || history.convergence.problems.length > 0) return
    const dues = new Dues(history, log)
    const last = new Map(history.watches.map((run) => [run.watcher, run]))
    for (const run of last.values()) {
      // A custom resource may be gone by then.
      if (run.prefix.includes('workshop.')) continue
      const seen = Math.max(run.from, ...run.events.map(({ revision }) => revision))
      const missed = dues
        .of(run.prefix)
        .find(({ revision, atMs }) => revision > seen && atMs < history.endMs - promptMs)
      if (!missed) continue
      const text = `${describe(run)}: has delivered up to ${seen}, and ${missed.key} changed at ${missed.revision}`
      yield { atMs: history.endMs, text }
    }
  },
}

const describe = ({ watcher, server, prefix, from }: WatchRun): string =>
  `watch of ${prefix} by ${watcher} through ${server} from ${from}`

/** The first wrong event. */
function problemOf(
  { from, events }: WatchRun,
  all: readonly Due[],
): { readonly atMs: number; readonly text: string } | undefined {
  // A client may have received a part of one revision: if several changes share one, all of them are sent again.
  const isShared = all.filter(({ revision }) => revision === from).length > 1
  const isAgain = isShared && events[0]?.type !== 'BOOKMARK' && events[0]?.revision === from
  let next = all.findIndex(({ revision }) => (isAgain ? revision >= from : revision > from))
  if (next < 0) next = all.length
  for (const event of events) {
    const { type, revision, atMs } = event
    const due = all[next]
    if (type === 'BOOKMARK') {
      if (due && due.revision <= revision && due.atMs < atMs) {
        return { atMs, text: `a bookmark says ${revision}, and ${text(due)} was not delivered` }
      }
      continue
    }
    if (!due || due.atMs > atMs) return { atMs, text: `delivered ${text(event)}, which has not happened` }
    if (text(due) !== text(event))
      return { atMs, text: `delivered ${text(event)}, and next was ${text(due)}` }
    next++
  }
  return undefined
}

const text = (event: Omit<Due, 'atMs'> | WatchRun['events'][number]): string =>
  `${event.type} ${event.key}@${event.revision} ${event.token} ${event.statusToken}`

/** Everything that was done to a collection, in the store's order. */
class Dues {
  readonly #all: Due[] = []
  readonly #byPrefix = new Map<string, readonly Due[]>()

  constructor({ commits }: History, log: StoreLog) {
    for (const { changes, atMs } of commits) {
      for (const { key, revision } of changes) {
        if (!isClientKey(key)) continue
        const before = log.at(key, revision - 1)
        const after = log.at(key, revision)
        const type = !after?.object ? 'DELETED' : before?.object ? 'MODIFIED' : 'ADDED'
        const { token = '', statusToken = '' } = after?.object ?? before?.object ?? {}
        this.#all.push({ type, key, revision, token, statusToken, atMs })
      }
    }
  }

  of(prefix: string): readonly Due[] {
    const known = this.#byPrefix.get(prefix)
    if (known) return known
    const found = this.#all.filter(({ key }) => key.startsWith(prefix))
    this.#byPrefix.set(prefix, found)
    return found
  }
}
