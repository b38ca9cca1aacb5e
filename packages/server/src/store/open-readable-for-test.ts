import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { World } from '@strata/world'
import { ConfigurationProblem, errorCode } from '../configuration/index.ts'
import { openEtcd, type StoreChoice } from './open.ts'
import { ReadOnlySqlite } from './sqlite/read-only-for-test.ts'
import type { ReadableStore } from './store.ts'

/** Opens a backend read-only. Nothing is created, written or compacted. */
export async function openReadable(
  choice: Exclude<StoreChoice, { readonly kind: 'memory' }>,
  world: World,
  signal: AbortSignal,
): Promise<ReadableStore> {
  if (choice.kind === 'etcd') return openEtcd(choice, world, signal)
  const path = join(choice.directory, 'store.db')
  await access(path).catch((error: unknown) => {
    throw new ConfigurationProblem(`--data-dir: there is no store at ${path} (${errorCode(error)})`)
  })
  return ReadOnlySqlite.open(path, world.clock)
}
