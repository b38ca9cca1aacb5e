import type { Clock, Log } from '@strata/world'
import type { Reconciler } from '../engine/index.ts'
import { NotOffered } from './aggregator-objects.ts'

const askAgainMs = 60_000

/**
 * Asks again after a minute, not at the next change, if the aggregator does not offer a resource: identity Leases change every
 * few seconds. The first refusal is logged, and again only after the same key has succeeded.
 */
export function askRarely(
  reconciler: Reconciler,
  { clock, log, resource }: { readonly clock: Clock; readonly log: Log; readonly resource: string },
): Reconciler {
  const notBefore = new Map<string, number>()
  /** The key whose refusal was logged. */
  let logged: string | undefined

  return {
    reconcile: async (key, signal) => {
      const waitMs = (notBefore.get(key) ?? 0) - clock.monotonicMs()
      if (waitMs > 0) return { lookAgainMs: waitMs }
      try {
        const settled = await reconciler.reconcile(key, signal)
        notBefore.delete(key)
        if (logged === key) {
          logged = undefined
          log.info('the aggregator takes what is mirrored again', { resource })
        }
        return settled
      } catch (error) {
        if (!(error instanceof NotOffered)) throw error
        notBefore.set(key, clock.monotonicMs() + askAgainMs)
        if (logged === undefined) {
          logged = key
          const text = 'the aggregator refuses what is mirrored, or does not serve it; trying every minute'
          log.warn(text, { resource, key, error: error.message })
        }
        return { lookAgainMs: askAgainMs }
      }
    },
  }
}
