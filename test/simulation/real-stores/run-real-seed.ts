import { runSeed, type SeedResult } from '../run-seed.ts'
import type { WorldOptions } from '../world/world.ts'
import { EtcdHome } from './etcd-home.ts'
import { type Home, RealStore } from './real-store.ts'
import { Reality } from './reality.ts'
import type { SentCommit } from './sent-commits.ts'
import { SqliteHome } from './sqlite-home.ts'

/** The stores that a world may have instead of memory. */
export const realStores = ['etcd', 'sqlite'] as const
export type RealStoreKind = (typeof realStores)[number]

export interface RealSeedResult extends SeedResult {
  readonly store: RealStoreKind
  /** Everything that happened: a world over a real store never happens the same way again. */
  readonly trace: readonly string[]
  /** What servers handed to their adapters, and what they were told of it. */
  readonly sent: readonly SentCommit[]
}

/** One world over a real store. */
export async function runRealSeed(
  store: RealStoreKind,
  options: Omit<WorldOptions, 'real'>,
): Promise<RealSeedResult> {
  const trace: string[] = []
  const onTraceLine = (line: string): void => {
    trace.push(line)
    options.onTraceLine?.(line)
  }
  const reality = new Reality()
  const real = new RealStore(await openHome(store, reality), reality)
  try {
    const result = await runSeed({ ...options, onTraceLine, real })
    const violations = [...result.violations, ...(await real.verify())].sort((a, b) => a.atMs - b.atMs)
    const { counts } = result.history
    if (reality.givenUp > 0) counts['real: an answer took longer than the simulation waits'] = reality.givenUp
    return { ...result, violations, store, trace, sent: real.mirror.sent }
  } finally {
    await real.stop()
  }
}

function openHome(store: RealStoreKind, reality: Reality): Promise<Home> {
  return store === 'etcd' ? EtcdHome.open(reality) : SqliteHome.open()
}
