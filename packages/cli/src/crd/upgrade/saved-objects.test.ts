import assert from 'node:assert/strict'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { SavedObjects } from './saved-objects.ts'

function pathFor(t: TestContext): string {
  const directory = fs.mkdtempSync(join(tmpdir(), 'strata-saved-'))
  t.after(() => fs.rmSync(directory, { recursive: true, force: true }))
  return join(directory, 'deep', 'objects.json')
}

/** Calls it while writes take at most so many bytes; returns the files and directories that were written to the disk. */
function onSlowDisk(t: TestContext, most: number, act: () => void): readonly boolean[] {
  const { writeSync, fsyncSync } = fs
  const synced: boolean[] = []
  const write = t.mock.method(fs, 'writeSync', (file: number, bytes: Uint8Array | string, at = 0) =>
    writeSync(file, Buffer.from(bytes as string).subarray(at, at + most)),
  )
  const sync = t.mock.method(fs, 'fsyncSync', (file: number) => {
    synced.push(fs.fstatSync(file).isDirectory())
    fsyncSync(file)
  })
  syncBuiltinESMExports()
  try {
    act()
  } finally {
    for (const { mock } of [write, sync]) mock.restore()
    syncBuiltinESMExports()
  }
  return synced
}

test('saved objects: one per line, for this user alone, never over an older file', (t) => {
  const path = pathFor(t)
  const saved = new SavedObjects(path)
  assert.equal(saved.path, undefined)
  saved.save({ metadata: { name: 'a' } })
  saved.save({ metadata: { name: 'b' } })
  saved.close()
  assert.deepEqual(fs.readdirSync(join(path, '..')), ['objects.json'])
  assert.equal(fs.statSync(path).mode & 0o777, 0o600)
  assert.equal(fs.readFileSync(path, 'utf8'), '{"metadata":{"name":"a"}}\n{"metadata":{"name":"b"}}\n')
  assert.throws(() => new SavedObjects(path).save({ metadata: { name: 'c' } }), { code: 'EEXIST' })
})

test('saved objects: whole, also if a write takes less than it was given; file and directory are on the disk', (t) => {
  const path = pathFor(t)
  const object = { metadata: { name: 'grün' }, spec: { text: 'x'.repeat(20) } }
  const synced = onSlowDisk(t, 7, () => {
    const saved = new SavedObjects(path)
    saved.save(object)
    saved.close()
  })
  assert.equal(fs.readFileSync(path, 'utf8'), `${JSON.stringify(object)}\n`)
  assert.deepEqual(synced.toSorted(), [false, true])
})
