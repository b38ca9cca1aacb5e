import { DatabaseSync } from 'node:sqlite'
import { configMap } from '../config-maps.ts'
import type { Contestant } from '../contestant.ts'
import { connections, pageSize } from '../workloads.ts'

/**
 * SQLite itself, in this process: the least that keeping the same bytes in a file costs. Writes are durable, and
 * those that are under way at once share a transaction, as they do in a server that is busy.
 */
export function sqliteContestant(path: string, objects: number): Contestant {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec('CREATE TABLE objects (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID')
  const put = database.prepare('INSERT OR REPLACE INTO objects (key, value) VALUES (?, ?)')
  const get = database.prepare('SELECT value FROM objects WHERE key = ?')
  const list = database.prepare(
    "SELECT key, value FROM objects WHERE key >= 'read/' AND key < 'read0' LIMIT ?",
  )
  const keyOf = (index: number): string => `read/item-${String(index).padStart(6, '0')}`

  const queue: { readonly key: string; readonly done: () => void }[] = []
  const flush = (): void => {
    const batch = queue.splice(0)
    database.exec('BEGIN IMMEDIATE')
    for (const { key } of batch) put.run(key, configMap(key))
    database.exec('COMMIT')
    for (const { done } of batch) done()
  }
  const write = (key: string): Promise<void> =>
    new Promise((done) => {
      if (queue.push({ key, done }) === 1) setImmediate(flush)
    })

  database.exec('BEGIN IMMEDIATE')
  for (let index = 0; index < objects; index++) put.run(keyOf(index), configMap(keyOf(index)))
  database.exec('COMMIT')
  let created = 0
  return {
    name: 'raw SQLite',
    work: {
      create: () => write(`created/${created++}`),
      get: async (index) => get.get(keyOf((index * 7919) % objects)),
      update: (index) => write(`updated/${index % (4 * connections)}`),
      list: async () => list.all(pageSize),
      'list-all': async () => list.all(objects),
      watch: 'SQLite has no notifications',
    },
    close: async () => database.close(),
  }
}
