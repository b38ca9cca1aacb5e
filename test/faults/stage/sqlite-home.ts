import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { pathsBelow } from '@strata/server/main'
import { createSqliteStore } from '@strata/server/store/sqlite'
import type { World } from '@strata/world'
import { type MountedDisk, mountSmallDisk } from '../../support/small-disk.ts'
import type { Network } from './network.ts'
import type { StoreHome } from './store-home.ts'

const diskMegabytes = 96

/** One file, in the data directory that all servers share. */
export async function createSqliteHome(dataDir: string, world: World, network: Network): Promise<StoreHome> {
  const { storeDir } = pathsBelow(dataDir)
  const path = join(storeDir, 'store.db')
  const copy = join(dataDir, 'backup.db')
  await mkdir(storeDir, { recursive: true, mode: 0o700 })
  const disks: MountedDisk[] = []
  if (network.kind === 'namespaces')
    disks.push(await mountSmallDisk(join(dataDir, 'disk.img'), storeDir, diskMegabytes))
  return {
    kind: 'sqlite',
    etcd: undefined,
    disks,
    clientCertificates: undefined,
    flagsFor: async () => [],
    open: () => createSqliteStore({ path, ...world }),
    async backup() {
      await rm(copy, { force: true })
      const source = new DatabaseSync(path, { readOnly: true })
      try {
        await backup(source, copy)
      } finally {
        source.close()
      }
      return "SQLite's online backup"
    },
    async restore(beforeServing) {
      for (const end of ['', '-wal', '-shm']) await rm(path + end, { force: true })
      await copyFile(copy, path)
      // As an operator accepts that the copy is older (docs/store.md): servers refuse it otherwise.
      await rm(`${storeDir}.mark`, { force: true })
      beforeServing()
    },
    async stop() {
      for (const disk of disks) await disk.remove()
    },
  }
}
