import { jitter, sleep, type World } from '@strata/world'

const attemptsAtOnce = 5

/**
 * Retries within milliseconds, a few times, if the own Lease was renewed meanwhile, or another server came or went: that is
 * no failure. Otherwise a server that renews often waits half a second each time.
 */
export async function retryOvertaken<Outcome extends { readonly outcome: string }>(
  { clock, random }: Pick<World, 'clock' | 'random'>,
  change: () => Promise<Outcome>,
  signal: AbortSignal,
): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await change()
    if (outcome.outcome !== 'overtaken' || attempt === attemptsAtOnce) return outcome
    await sleep(clock, jitter(random, 10 * attempt, 0.9), signal)
  }
}
