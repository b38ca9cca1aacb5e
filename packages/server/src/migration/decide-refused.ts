import type { BrokenGuard, Entry, Key } from '../store/index.ts'

/** An object that is to be written again: what stands, and what shall stand instead. */
export interface Rewrite {
  readonly entry: Entry
  readonly value: Uint8Array
}

export interface AfterRefusal {
  /** Nothing is wrong with these: they go into a transaction of their own. */
  readonly held: readonly Rewrite[]
  /** Somebody else has written these since; they are looked at again. */
  readonly moved: readonly Entry[]
}

/**
 * What becomes of a transaction that was refused. It is split, not tried again whole. Otherwise: one object that is
 * written ten times a second keeps ninety-nine others from ever being migrated.
 */
export function decideRefused(
  rewrites: readonly Rewrite[],
  broken: readonly Pick<BrokenGuard, 'guard' | 'current'>[],
): AfterRefusal {
  const now = new Map<Key, Entry | undefined>(broken.map(({ guard, current }) => [guard.key, current]))
  return {
    held: rewrites.filter(({ entry }) => !now.has(entry.key)),
    // One that is gone needs nothing.
    moved: rewrites.flatMap(({ entry }) => now.get(entry.key) ?? []),
  }
}
