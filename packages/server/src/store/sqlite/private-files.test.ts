import assert from 'node:assert/strict'
import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { connectWriter } from './connect-writer.ts'
import { temporaryPath } from './open-for-test.ts'
import { keepPrivate } from './private-files.ts'

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

test('sqlite: only the user of the servers may read the files of a store', (t) => {
  const path = temporaryPath(t)
  keepPrivate(path)
  const { database } = connectWriter({ path })
  assert.deepEqual(
    [path, `${path}-wal`, `${path}-shm`].map((file) => modeOf(file)),
    ['600', '600', '600'],
  )
  database.close()
})

const cases: ReadonlyArray<[what: string, before: number, after: string]> = [
  ['which an earlier release wrote, are closed to others', 0o644, '600'],
  ['whose mode was chosen, keep it', 0o660, '660'],
]
for (const [what, before, after] of cases) {
  test(`sqlite: files ${what}`, (t) => {
    const path = temporaryPath(t)
    for (const file of [path, `${path}-wal`]) {
      writeFileSync(file, '')
      chmodSync(file, before)
    }
    keepPrivate(path)
    assert.deepEqual([modeOf(path), modeOf(`${path}-wal`)], [after, after])
  })
}
