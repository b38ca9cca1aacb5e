import type { BrokenGuard, Entry, Key } from '../store/index.ts'

/** An object to rewrite: its stored entry and its new value. */
export interface Rewrite {
  readonly entry: Entry
  readonly value: Uint8Array
}

export interface AfterRefusal {
  /** The guards of these held: they go into a transaction of their own. */
  readonly held: readonly Rewrite[]
  /** Other clients have written these since; they are read again. */
  readonly moved: readonly Entry[]
}

/**
 * Splits a refused transaction instead of retrying it whole. Otherwise: one object that is written ten times a second keeps
 * ninety-nine others from ever being migrated.
 */
export function decideRefused(
  rewrites: readonly Rewrite[],
  broken: readonly Pick<BrokenGuard, 'guard' | 'current'>[],
): AfterRefusal {
  const now = new Map<Key, Entry | undefined>(broken.map(({ guard, current }) => [guard.key, current]))
  return {
    held: rewrites.filter(({ entry }) => !now.has(entry.key)),
    // A deleted object needs nothing.
    moved: rewrites.flatMap(({ entry }) => now.get(entry.key) ?? []),
  }
}
