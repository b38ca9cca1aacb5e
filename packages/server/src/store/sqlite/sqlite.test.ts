import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLog } from '@strata/world'
import { createNodeRandom, nodeClock } from '@strata/world/node'
import { describeStoreContract } from '../contract.ts'
import { createSqliteStore } from './index.ts'

const world = { clock: nodeClock, random: createNodeRandom(), log: silentLog }

describeStoreContract('sqlite', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'strata-sqlite-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return { open: () => createSqliteStore({ ...world, path: join(directory, 'store.db') }) }
})
