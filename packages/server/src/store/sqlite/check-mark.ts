import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { StoreLost } from '../errors.ts'
import { decideLoss, type FoundStore } from './decide-loss.ts'
import { checkFormat, firstRevision, storeId } from './schema.ts'
import { readMark } from './store-mark.ts'

export interface MarkedStore {
  readonly path: string
  /** Where it is written down how far the store has come; nothing is compared without it. */
  readonly markPath?: string | undefined
}

/** Throws `StoreLost`, before anything is created or changed, if the database holds less than the mark says. */
export function checkMark({ path, markPath }: MarkedStore): void {
  if (markPath === undefined) return
  // First the mark: others go on writing, and it must not be newer than what is compared with it.
  const mark = readMark(markPath)
  if (mark === undefined) return
  const loss = decideLoss(mark, findStore(path))
  if (loss === undefined) return
  throw new StoreLost(
    `${loss}. Put ${path} and ${path}-wal back, or restore both from a backup; ` +
      `to go on with what is there and lose the rest, remove ${markPath}`,
  )
}

/**
 * Over a connection that only reads: one that may write moves what it can read of a damaged log into the database when it
 * is closed, and deletes the rest, which somebody may want to save.
 */
function findStore(path: string): FoundStore | undefined {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return undefined
  const database = new DatabaseSync(path, { readOnly: true, timeout: 0 })
  try {
    if (!checkFormat(database)) return undefined
    const { newest } = database.prepare('SELECT max(revision) AS newest FROM log').get() ?? {}
    return { store: storeId(database), revision: typeof newest === 'number' ? newest : firstRevision }
  } finally {
    database.close()
  }
}
