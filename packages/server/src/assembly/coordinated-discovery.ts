import type { World } from '@strata/world'
import {
  type Coordinator,
  DocHashReporter,
  observeDocHashes,
  type ProtocolRules,
} from '../coordination/index.ts'
import type { Store } from '../store/index.ts'
import type { WatchCache } from '../watch-cache/index.ts'

/** Servers compare the documents that they serve, and say whether they are the same (seed 004). */
export interface CoordinatedDiscovery {
  /** When the cache is filled. The entry is reported as soon as the identity is held. */
  start(): void
  /** Something else may be served from now on. */
  look(): void
  /** Before the server leaves, which takes its entry out. */
  stop(): Promise<void>
  /** What documents say in `consistent`. */
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
