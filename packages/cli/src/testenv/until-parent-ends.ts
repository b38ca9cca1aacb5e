import { type Clock, sleep } from '@strata/world'
import type { CliContext } from '../context.ts'

const lookEveryMs = 250

/**
 * Resolves when another process has become the parent of this one, which the system arranges when the parent ends, however it
 * ends; or when the signal is aborted. A test run that is killed would otherwise leave its servers behind. The parent is compared
 * with that of the very beginning: one that ends while the program is loaded, or the server starts, is noticed too.
 */
export async function untilParentEnds(
  {
    world,
    parentId,
    firstParentId,
  }: Pick<CliContext, 'parentId' | 'firstParentId'> & { readonly world: { readonly clock: Clock } },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && parentId?.() === firstParentId) {
    await sleep(world.clock, lookEveryMs, signal).catch(() => {})
  }
}
