import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connectWriter } from '../connect-writer.ts'
import { settleMark } from './settle-mark.ts'

const at = '2026-01-02T03:04:05Z'

async function newStore(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'strata-settle-'))
  const markPath = join(directory, 'store.mark')
  const options = { path: join(directory, 'store.db'), markPath, newStoreId: 7, at }
  const { database, isRestored } = connectWriter(options)
  t.after(async () => {
    database.close()
    await rm(directory, { recursive: true, force: true })
  })
  return { database, isRestored, markPath }
}

test('settle mark: a new store is not a restored one', async (t) => {
  const { isRestored } = await newStore(t)
  assert.equal(isRestored, false)
})

// B looked for the mark before A had created the store; A has finished when B continues.
test('settle mark: a mark that another server has just written is not a removed one', async (t) => {
  const { database, markPath } = await newStore(t)
  assert.equal(settleMark(database, { markPath, at }, 'missing'), false)
})

test('settle mark: a mark that was removed makes the store a restored one, once', async (t) => {
  const { database, markPath } = await newStore(t)
  await rm(markPath)
  assert.equal(settleMark(database, { markPath, at }, 'missing'), true)
  assert.equal(settleMark(database, { markPath, at }, 'missing'), false)
})
