import type { History } from './clients/history.ts'
import type { WatchClient } from './clients/watch-client.ts'
import type { ServerName } from './stage/network.ts'
import type { Stage } from './stage/stage.ts'
import type { StoreKind } from './stage/store-home.ts'

/** The target of a fault. Drawn from the seed for every fault, also if the fault does not use all of it. */
export interface Choice {
  readonly server: ServerName
  readonly node: 0 | 1 | 2
  /** In [0, 1). */
  readonly magnitude: number
}

export interface FaultContext {
  readonly stage: Stage
  readonly history: History
  readonly watchers: readonly WatchClient[]
  readonly keys: readonly string[]
  /** Said by the fault itself, for the report: `3 objects migrated`. */
  readonly note: (text: string) => void
}

/** Resources that two faults must not use at the same time. */
export type Target = ServerName | 'store'
export const allTargets: readonly Target[] = ['a', 'b', 'c', 'store']

export interface FaultKind {
  readonly name: string
  /** One line for `--help`. */
  readonly summary: string
  readonly stores: readonly StoreKind[]
  /** Namespaces and small disks need root. */
  readonly needs?: 'namespaces'
  readonly targets: (choice: Choice, store: StoreKind) => readonly Target[]
  /** Makes it happen. What is returned ends it, and is called however the round ends. */
  readonly begin: (context: FaultContext, choice: Choice) => Promise<() => Promise<void>>
}

export const bothStores: readonly StoreKind[] = ['sqlite', 'etcd']
