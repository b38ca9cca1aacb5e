import type { DatabaseSync } from 'node:sqlite'

/** Raised when a release writes a format that older ones cannot read. */
const formatNumber = 1

/** "STRA": distinguishes our files from any other SQLite database. */
const applicationId = 0x53545241

/** An empty store is at this revision, as an empty etcd is. */
export const firstRevision = 1

/** The file is a database, but not one that this release may touch. */
export class UnknownStoreFormat extends Error {
  override readonly name = 'UnknownStoreFormat'
}

/**
 * - `log`: every change, until it is compacted. A delete has the create revision 0. The previous revision
 *   is that of the value which the change replaced, or 0 if there was none. The value is the last column,
 *   so that reading the others does not walk through a large value's pages.
 * - `current`: the newest change of each key that exists.
 * - `log_by_key`: answers lists of the past without reading any value.
 * - `meta`: the format; the compacted revision; how far the sweep behind it has come; which store it is (`store`, a
 *   random number, since a release that marks what it stores has opened it); whether it has had a mark (`marked`).
 *
 * Text is compared byte by byte (SQLite's BINARY collation), which is the order of keys.
 */
const tables = `
  CREATE TABLE log (
    revision INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    create_revision INTEGER NOT NULL,
    previous_revision INTEGER NOT NULL,
    value BLOB
  ) STRICT;
  CREATE INDEX log_by_key ON log (key, create_revision);
  CREATE TABLE current (
    key TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    create_revision INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE meta (name TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO meta VALUES ('format', ${formatNumber}), ('compacted', ${firstRevision}), ('swept', ${firstRevision});
  PRAGMA application_id = ${applicationId};
`

/** True if the file holds a store that this release understands, false if it is empty. */
export function checkFormat(database: DatabaseSync): boolean {
  const { tables: count } = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() ?? {}
  if (count === 0) return false
  const { application_id: id } = database.prepare('PRAGMA application_id').get() ?? {}
  if (id !== applicationId) throw new UnknownStoreFormat('the file is a database of another program')
  const { number } = database.prepare(`SELECT number FROM meta WHERE name = 'format'`).get() ?? {}
  if (number !== formatNumber) {
    throw new UnknownStoreFormat(
      `the file has format ${number} and this release knows format ${formatNumber} only; ` +
        'start the release that wrote it, or another data directory',
    )
  }
  return true
}

/** Prepares a new file. The caller holds the write lock, and has checked again under it. */
export function createTables(database: DatabaseSync): void {
  database.exec(tables)
}

/** The id of the store; undefined if it has none yet. */
export function storeId(database: DatabaseSync): number | undefined {
  const { number } = database.prepare(`SELECT number FROM meta WHERE name = 'store'`).get() ?? {}
  return typeof number === 'number' ? number : undefined
}

/** The first id stays. */
export function giveStoreId(database: DatabaseSync, id: number): void {
  database.prepare(`INSERT OR IGNORE INTO meta VALUES ('store', ?)`).run(id)
}

/** Whether a mark was ever written for this store. */
export function isMarked(database: DatabaseSync): boolean {
  return database.prepare(`SELECT number FROM meta WHERE name = 'marked'`).get() !== undefined
}

export function noteMarked(database: DatabaseSync): void {
  database.exec(`INSERT OR IGNORE INTO meta VALUES ('marked', 1)`)
}

/** Like `etcdutl snapshot restore --bump-revision`. More than a store hands out between two backups. */
const skippedRevisions = 1_000_000_000

/**
 * Like `--bump-revision` with `--mark-compacted`. The next revision is counted from the newest change, so a change is added; no
 * client sees it, since the past up to it is closed.
 */
export function skipRevisions(database: DatabaseSync): void {
  const { newest } = database.prepare('SELECT max(revision) AS newest FROM log').get() ?? {}
  const revision = (typeof newest === 'number' ? newest : firstRevision) + skippedRevisions
  database.prepare(`INSERT INTO log VALUES (?, 'restored', 0, 0, NULL)`).run(revision)
  database.prepare(`UPDATE meta SET number = ? WHERE name = 'compacted'`).run(revision)
}
