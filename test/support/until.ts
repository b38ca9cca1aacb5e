import { sleep } from '@strata/world'
import { nodeClock } from '@strata/world/node'

/** Waits until `condition` gives something other than false or nothing, and returns that. */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  { giveUpMs = 20_000 }: { readonly giveUpMs?: number } = {},
): Promise<NonNullable<T>> {
  const beganMs = nodeClock.monotonicMs()
  for (let waitedMs = 0; waitedMs < giveUpMs; waitedMs = nodeClock.monotonicMs() - beganMs) {
    const value = await condition()
    if (value) return value
    await sleep(nodeClock, pauseMs(waitedMs))
  }
  throw new Error(`gave up waiting until ${what}`)
}

/** The longer it takes, the less often is looked: looking keeps those busy who are waited for. */
const pauseMs = (waitedMs: number): number => Math.min(Math.max(waitedMs / 20, 5), 50)
