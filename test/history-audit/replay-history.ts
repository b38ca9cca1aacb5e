import { agreementPrefix, storageVersionPrefix } from '@strata/server/coordination'
import { builtInPlaces } from '@strata/server/history-for-test'
import {
  type Entry,
  type Key,
  type ReadableStore,
  type Revision,
  RevisionCompacted,
  RevisionInFuture,
} from '@strata/server/store'
import type { HistoryFindings } from './findings.ts'
import { HistoryAudit } from './history-audit.ts'

export interface ReplayOptions {
  /** Judges puts after this revision; by default all. */
  readonly sinceRevision?: Revision
  /** How many exceptions to list; all are counted. */
  readonly limit?: number
  readonly onProgress?: (seen: Revision, newest: Revision) => void
}

/** Every empty store is at this revision. */
const beginning: Revision = 1
const pageSize = 500

/**
 * Reads the history of a store up to its newest revision, a batch at a time, and judges it. Compacted history cannot be read; the
 * findings say so. Throws `RevisionInFuture` if there is nothing after `sinceRevision` yet.
 */
export async function replayHistory(
  store: ReadableStore,
  { sinceRevision = beginning, limit, onProgress = () => {} }: ReplayOptions,
  signal: AbortSignal,
): Promise<HistoryFindings> {
  const newest = await store.currentRevision(signal)
  if (sinceRevision > newest) throw new RevisionInFuture(sinceRevision, newest)
  const audit = new HistoryAudit({ known: builtInPlaces, limit })
  audit.placeBy(await listAll(store, agreementPrefix, newest, signal))
  const start = await readStart(store, sinceRevision, signal)
  audit.begin(start.entries)
  let { compactedRevision } = start
  let seen = start.revision
  const over = new AbortController()
  const end = (): void => over.abort(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  try {
    // Watches the whole store, not only our part of it: otherwise the end of the history would not be noticed.
    if (seen < newest) {
      for await (const { revision, changes } of store.watch('', seen, over.signal)) {
        const before = seen
        // After a broken connection one revision may come again; changes after the start are not judged.
        audit.take(changes.filter((each) => each.revision > before && each.revision <= newest))
        seen = Math.min(revision, newest)
        onProgress(seen, newest)
        if (seen >= newest) break
      }
    }
  } catch (error) {
    // The history that was still to be read has been compacted.
    if (!(error instanceof RevisionCompacted)) throw error
    compactedRevision = error.compactedRevision
  } finally {
    signal.removeEventListener('abort', end)
    over.abort()
  }
  signal.throwIfAborted()
  return audit.findings({
    afterRevision: start.revision,
    toRevision: seen,
    whole: compactedRevision === undefined && seen >= newest,
    ...(compactedRevision === undefined ? {} : { compactedRevision }),
  })
}

interface Start {
  readonly revision: Revision
  readonly entries: readonly Entry[]
  readonly compactedRevision: Revision | undefined
}

/** The records at a revision; at the oldest one left, if that one is gone. */
async function readStart(store: ReadableStore, revision: Revision, signal: AbortSignal): Promise<Start> {
  let at = revision
  let compactedRevision: Revision | undefined
  for (;;) {
    try {
      const records = await listAll(store, agreementPrefix, at, signal)
      const shown = await listAll(store, storageVersionPrefix, at, signal)
      return { revision: at, entries: [...records, ...shown], compactedRevision }
    } catch (error) {
      // Again, if it was compacted once more meanwhile.
      if (!(error instanceof RevisionCompacted) || error.compactedRevision <= at) throw error
      at = error.compactedRevision
      compactedRevision = at
    }
  }
}

async function listAll(
  store: ReadableStore,
  prefix: Key,
  revision: Revision,
  signal: AbortSignal,
): Promise<Entry[]> {
  const entries: Entry[] = []
  for (;;) {
    const after = entries.at(-1)?.key
    const page = await store.list({ prefix, revision, limit: pageSize, after }, signal)
    entries.push(...page.entries)
    if (page.remaining === 0) return entries
  }
}
