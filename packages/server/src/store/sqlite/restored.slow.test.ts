import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { silentLog } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import { createSqliteStore } from './sqlite-store.ts'

const never = new AbortController().signal

test('sqlite: a watch of a store that was restored in place waits, and hears of the next change', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'strata-restored-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const path = join(directory, 'store.db')
  const store = await createSqliteStore({ path, ...createNodeWorld({ log: silentLog }) })
  t.after(() => store.close())
  const put = (key: string) =>
    store.commit({ writes: [{ kind: 'put', key, value: Buffer.from('x') }], guards: [] }, never)
  await put('/kept')
  const source = new DatabaseSync(path)
  await backup(source, join(directory, 'copy.db'))
  source.close()
  for (let index = 0; index < 20; index++) await put(`/lost/${index}`)
  const copy = new DatabaseSync(join(directory, 'copy.db'))
  await backup(copy, path)
  copy.close()
  const now = await store.currentRevision(never)
  const over = new AbortController()
  const batches = store.watch('/', now, over.signal)[Symbol.asyncIterator]()
  const next = batches.next()
  await put('/new')
  const { value, done } = await next
  over.abort()
  assert.ok(!done)
  assert.deepEqual(
    value.changes.map(({ key }) => key),
    ['/new'],
  )
})
