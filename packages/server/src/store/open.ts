import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { World } from '@strata/world'
import { ConfigurationProblem, errorCode, readAuthorities } from '../configuration/index.ts'
import type { EtcdStore } from './etcd/index.ts'
import { createMemoryStore, MemoryData } from './memory/index.ts'
import { compactPeriodically } from './periodic-compaction.ts'
import type { Store } from './store.ts'

export type StoreChoice =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly directory: string }
  | {
      readonly kind: 'etcd'
      readonly endpoints: readonly string[]
      readonly caFile?: string | undefined
      readonly certFile?: string | undefined
      readonly keyFile?: string | undefined
    }

/** Opens a backend, and compacts its history. Backends are loaded when they are chosen. */
export async function openStore(
  choice: StoreChoice,
  world: World,
  compactionMs: number,
  signal: AbortSignal,
): Promise<Store> {
  const { clock, random, log } = world
  switch (choice.kind) {
    case 'memory': {
      const store = createMemoryStore(new MemoryData())
      void compactPeriodically({ store, clock, intervalMs: compactionMs, log }, signal)
      return store
    }
    case 'sqlite': {
      const { createSqliteStore } = await import('./sqlite/index.ts')
      const path = join(choice.directory, 'store.db')
      // Beside the directory: the mark remains if the directory is emptied or not mounted.
      const markPath = `${resolve(choice.directory)}.mark`
      const store = await createSqliteStore({ path, markPath, clock, random, log })
      void compactPeriodically({ store, clock, intervalMs: compactionMs, log }, signal)
      return store
    }
    case 'etcd': {
      const { startCompactor } = await import('./etcd/index.ts')
      const store = await openEtcd(choice, world, signal)
      void startCompactor({ store, clock, intervalMs: compactionMs, log }, signal).catch((error: unknown) =>
        log.error('the compactor has stopped', { error: String(error) }),
      )
      return store
    }
  }
}

export async function openEtcd(
  { endpoints, caFile, certFile, keyFile }: StoreChoice & { readonly kind: 'etcd' },
  { clock, random, log }: World,
  opening: AbortSignal,
): Promise<EtcdStore> {
  const { createEtcdStore } = await import('./etcd/index.ts')
  const tls =
    caFile === undefined && certFile === undefined
      ? undefined
      : {
          ca: caFile === undefined ? undefined : Buffer.from(await readAuthorities('--etcd-cafile', caFile)),
          cert:
            certFile === undefined
              ? undefined
              : Buffer.from(await readAuthorities('--etcd-certfile', certFile)),
          key: keyFile === undefined ? undefined : await readPem('--etcd-keyfile', keyFile),
        }
  return createEtcdStore({ endpoints, clock, random, log, opening, tls })
}

function readPem(flag: string, path: string): Promise<Uint8Array> {
  return readFile(path).catch((error: unknown) => {
    throw new ConfigurationProblem(`${flag} ${path}: cannot be read (${errorCode(error)})`)
  })
}
