import { type Clock, sleep } from '@strata/world'
import type { CliContext } from '../context.ts'

const lookEveryMs = 250

/**
 * Resolves when another process has become the parent of this one, which the system arranges when the parent ends, however it
 * ends; or when the signal is aborted. A test run that is killed would otherwise leave its servers behind. `first` is the parent
 * at the beginning of this process: one that ends while the server starts is noticed too.
 */
export async function untilParentEnds(
  { world, parentId }: Pick<CliContext, 'parentId'> & { readonly world: { readonly clock: Clock } },
  first: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && parentId?.() === first) {
    await sleep(world.clock, lookEveryMs, signal).catch(() => {})
  }
}
