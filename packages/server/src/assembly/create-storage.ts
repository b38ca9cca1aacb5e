import { placedResource, resourcePrefix, storageRoot } from '../codec/index.ts'
import { identityLeaseKey } from '../coordination/index.ts'
import { WriteHealth } from '../health/index.ts'
import type { Store } from '../store/index.ts'
import { WatchCache } from '../watch-cache/index.ts'
import { encryptStore } from './reload-encryption.ts'
import type { ServerSettings } from './server-settings.ts'
import { StoreRecovery } from './store-recovery.ts'

/** The store as the rest of the server sees it, and the cache that is filled from it. */
export type Storage = ReturnType<typeof createStorage>

/** From the store to the cache: write health, timeline, encryption (if configured), cache. */
export function createStorage(
  { world, encryption, api, coordination: { serverID }, ...settings }: ServerSettings,
  running: AbortSignal,
) {
  const writes = new WriteHealth(world)
  const tickKey = `${storageRoot}strata.dev/ticks/${serverID}`
  const ownKey = identityLeaseKey(serverID)
  const recovery = new StoreRecovery({ world, store: writes.observe(settings.store), ownKey, tickKey })
  const known = api.codecs.map(({ definition }) => placedResource(definition))
  const store = encryption
    ? encryptStore(recovery.timeline, encryption, { known, world, signal: running })
    : recovery.timeline
  const cache = new WatchCache({
    store,
    world,
    root: storageRoot,
    prefixes: api.codecs.map(({ definition }) => resourcePrefix(definition)),
    tick: (signal) => tick(store, tickKey, signal),
    mayLoad: () => recovery.readable,
  })
  return { writes, recovery, store, cache }
}

/** A harmless write that makes the one watch move (rule 6). */
async function tick(store: Store, key: string, signal: AbortSignal): Promise<void> {
  await store.commit({ writes: [{ kind: 'put', key, value: Buffer.from('{}') }], guards: [] }, signal)
}
