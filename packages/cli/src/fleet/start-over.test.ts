import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startOver } from './start-over.ts'

/** What is left of a data directory with a store. */
async function leftAfter(yes: boolean, ask?: () => Promise<string>): Promise<readonly string[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'strata-fresh-'))
  try {
    await mkdir(join(dataDir, 'store'))
    await writeFile(join(dataDir, 'store/store.db'), '')
    const error = await startOver(dataDir, { etcdServers: undefined, yes }, { ask, print: () => {} }).then(
      () => undefined,
      (caught: Error) => caught,
    )
    return [...(await readdir(dataDir)), ...(error ? [error.message.replace(dataDir, 'DIR')] : [])]
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

test('fresh: without a terminal nothing is deleted, unless --yes is given', async () => {
  assert.deepEqual(await leftAfter(false), [
    'store',
    '--fresh deletes what is stored in DIR, and there is no terminal to ask: add --yes; nothing was deleted',
  ])
  assert.deepEqual(await leftAfter(true), [])
})

test('fresh: on a terminal the user is asked', async () => {
  assert.deepEqual(await leftAfter(false, async () => 'y'), [])
  assert.equal((await leftAfter(false, async () => 'n'))[0], 'store')
})
