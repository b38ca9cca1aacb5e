import type { World } from '@strata/world'
import {
  type Coordinator,
  DocHashReporter,
  observeDocHashes,
  type ProtocolRules,
} from '../coordination/index.ts'
import type { Store } from '../store/index.ts'
import type { WatchCache } from '../watch-cache/index.ts'

/**
 * Servers compare their discovery documents and show whether they are equal (KEP "Coordinated Discovery Documents for HA
 * API Servers").
 */
export interface CoordinatedDiscovery {
  /** Call it when the cache is filled. The server reports its hash once it holds its identity. */
  start(): void
  /** What is served may have changed: compare again. */
  look(): void
  /** Call it before the server leaves, which removes its entry. */
  stop(): Promise<void>
  /** The value of `consistent` in documents. */
  isConsistent(isFresh: boolean): boolean
}

export function createCoordinatedDiscovery(options: {
  readonly store: Store
  readonly world: World
  readonly cache: WatchCache
  readonly coordinator: Pick<Coordinator, 'identity' | 'records'>
  readonly expectedServers: number
  readonly builtInHash: () => string
  readonly rules: Pick<ProtocolRules, 'decideConsistent'>
}): CoordinatedDiscovery {
  const { store, world, cache, coordinator, expectedServers, builtInHash, rules } = options
  const { identity, records } = coordinator
  const { serverID } = identity
  const reporter = new DocHashReporter({ store, world, cache, records, self: identity, builtInHash })
  return {
    start: () => reporter.start(),
    look: () => reporter.look(),
    stop: () => reporter.stop(),
    isConsistent: (isFresh) => {
      const own = { apiServerID: serverID, builtInAPIHash: builtInHash() }
      return rules.decideConsistent({ isFresh, own, expectedServers, ...observeDocHashes(cache) })
    },
  }
}
