import type { ListRun } from '../history.ts'
import type { StoreLog } from '../store-log.ts'
import type { Checker } from './violation.ts'

/**
 * A list shows its collection as it stood at one revision of the store, whole: also in pages, between which others write, and
 * also where it was asked for a revision of the past. Without a resourceVersion that is no older than what stood when it
 * was asked for; an exact one is the one that was asked for.
 */
export const trueLists: Checker = {
  name: 'true-lists',
  *check({ lists }, log) {
    for (const list of lists) {
      const { watcher, prefix, how, revision, endMs } = list
      for (const problem of problemsOf(list, log)) {
        yield { atMs: endMs, text: `list (${how}) of ${prefix} by ${watcher} at ${revision}: ${problem}` }
      }
    }
  },
}

function* problemsOf(list: ListRun, log: StoreLog): Iterable<string> {
  const { how, asked, limit, pages, revision, startRevision, endRevision } = list
  const isNewest = how === 'newest' || how === 'pages'
  if (isNewest && revision < startRevision) yield `${startRevision} stood when it was asked for`
  if (revision > endRevision) yield `the store has only come to ${endRevision}`
  if (asked !== undefined && revision !== asked) yield `asked for was ${asked}`
  const stored = storedAt(list, log)
  const shown = textOf(list.items)
  if (shown !== textOf(stored)) yield `shows ${shown}, stored was ${textOf(stored)}`
  let before = 0
  for (const page of pages) {
    before += page.count
    if (page.revision !== revision) yield `one page is of ${page.revision}`
    if (limit !== undefined && page.count > limit) yield `a page has ${page.count}, the limit was ${limit}`
    if (page.remaining !== undefined && page.remaining !== stored.length - before) {
      yield `${page.remaining} are said to remain after ${before}, of ${stored.length}`
    }
  }
}

function storedAt({ prefix, revision }: ListRun, log: StoreLog): ListRun['items'] {
  return [...log.keys.keys()]
    .filter((key) => key.startsWith(prefix))
    .sort()
    .flatMap((key) => {
      const version = log.at(key, revision)
      if (!version?.object) return []
      const { token, statusToken } = version.object
      return [{ key, revision: version.revision, token, statusToken }]
    })
}

const textOf = (items: ListRun['items']): string =>
  items.map((each) => `${each.key}@${each.revision} ${each.token} ${each.statusToken}`).join(', ')
