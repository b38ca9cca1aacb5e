import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { connectWriter, NoWriteAheadLog, useWriteAheadLog } from './connect-writer.ts'
import { temporaryPath } from './open-for-test.ts'

test('sqlite: a database that cannot have a write-ahead log is refused', () => {
  const database = new DatabaseSync(':memory:')
  assert.throws(
    () => useWriteAheadLog(database),
    (error) => {
      assert.ok(error instanceof NoWriteAheadLog)
      assert.match(error.message, /journal mode stays memory/)
      return true
    },
  )
  database.close()
})

test('sqlite: a commit is on the disk before it is acknowledged, also on macOS', (t) => {
  const { database } = connectWriter({ path: temporaryPath(t) })
  const settings = ['journal_mode', 'synchronous', 'fullfsync', 'checkpoint_fullfsync'].map((name) =>
    Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {}),
  )
  database.close()
  assert.deepEqual(settings.flat(), ['wal', 2, 1, 1])
})
