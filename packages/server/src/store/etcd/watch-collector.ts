import type { Change, ChangeBatch, Revision } from '../store.ts'
import type { WatchEvent } from './etcd-messages.ts'

/**
 * Cuts the responses of one watch stream into batches that never split a revision.
 *
 * etcd sends the events of one revision in one response, unless it splits a response that is too large
 * (`fragment`), and then anywhere, also between two events of one transaction. All parts but the last are marked.
 * So a revision is known to be complete in two cases: an event of a later revision has come, or the response
 * is not, or is the last, of several parts. Only the newest revision of an unfinished response is held back: one
 * transaction's worth of memory. Were fragments not asked for, etcd would put up to 1,000 revisions into one
 * message when a watch catches up, which may be more than a gigabyte.
 *
 * The revision in the header is not used: while a watch catches up it is the store's newest, not the last one sent.
 */
export class WatchCollector {
  #held: Change[] = []

  /** The complete revisions, as one batch; `undefined` if there is none yet. */
  take(events: readonly WatchEvent[], moreFollows: boolean): ChangeBatch | undefined {
    const changes = this.#held
    for (const event of events) changes.push(toChange(event))
    const last = changes.at(-1)
    if (!last) return undefined
    if (!moreFollows) {
      this.#held = []
      return { revision: last.revision, changes }
    }
    const complete = changes.findLastIndex(({ revision }) => revision < last.revision) + 1
    this.#held = changes.splice(complete)
    const revision: Revision | undefined = changes.at(-1)?.revision
    return revision === undefined ? undefined : { revision, changes }
  }
}

function toChange({ kind, entry }: WatchEvent): Change {
  const { key, revision, value, createRevision } = entry
  return kind === 'delete' ? { kind, key, revision } : { kind, key, revision, value, createRevision }
}
