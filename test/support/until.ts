import { sleep } from '@strata/world'
import { nodeClock } from '@strata/world/node'

/** Waits until `condition` gives something other than false or nothing, and returns that. */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  { giveUpMs = 20_000 }: { readonly giveUpMs?: number } = {},
): Promise<NonNullable<T>> {
  const endMs = nodeClock.monotonicMs() + giveUpMs
  while (nodeClock.monotonicMs() < endMs) {
    const value = await condition()
    if (value) return value
    await sleep(nodeClock, 5)
  }
  throw new Error(`gave up waiting until ${what}`)
}
