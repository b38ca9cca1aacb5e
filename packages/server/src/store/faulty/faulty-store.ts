import { type Cancel, type Clock, integer, type Random } from '@strata/world'
import { checkCommit } from '../check-commit.ts'
import { OutcomeUnknown, StoreUnavailable } from '../errors.ts'
import type { Commit, CommitOutcome, Store } from '../store.ts'
import { type Faults, happens, pickDelayMs } from './faults.ts'
import { createFaultyWatch } from './faulty-watch.ts'

/** For scripted interleavings. The store awaits the hooks. */
export interface FaultyStoreHooks {
  /** The request has arrived, and the store is about to act on it. */
  beforeCommit?(commit: Commit): Promise<void>
  /** The store has acted, and the answer is about to leave. */
  afterCommit?(commit: Commit, outcome: CommitOutcome): Promise<void>
}

export interface FaultyStoreOptions {
  /** Delivers requests, and answers up to the caller. It goes on when the caller's process does not. */
  readonly network: Clock
  /**
   * The caller's own clock, for incoming answers and for its deadline. A frozen or crashed process gets no answer, although the
   * store has acted on its request.
   */
  readonly local: Clock
  readonly random: Random
  /** Read anew for each request, so that a scenario may change its fields. */
  readonly faults: Faults
  /** While true nothing passes, in either direction. */
  readonly partitioned?: () => boolean
  /** How long a caller waits for an answer. */
  readonly timeoutMs?: number
  readonly hooks?: FaultyStoreHooks
  /** Called for each commit that will be late, with the delay. */
  readonly onLate?: (lateMs: number) => void
}

/** What a failed request reports to its caller. */
type Loss = 'certainly nothing was written' | 'something may have been written'

/**
 * A store behind a bad network. An answer is always true, and a failure admits what it does not know: a commit whose request was
 * lost and one whose answer was lost look the same to the caller. So both are `OutcomeUnknown`, unless the connection was
 * refused.
 */
export function createFaultyStore(inner: Store, options: FaultyStoreOptions): Store {
  const { network, local, random, faults, partitioned = () => false, timeoutMs = 5000, hooks = {} } = options
  const { onLate = () => {} } = options
  const closing = new AbortController()

  function travel(via: Clock, arrive: () => void): void {
    const delayMs = pickDelayMs(random, faults.delayMs)
    if (delayMs > 0) via.after(delayMs, arrive)
    else via.soon(arrive)
  }

  const travelTo = (arrive: () => void): void => travel(network, arrive)

  /** Sends `act` to the store and its answer back. `lost` is what the caller knows if there is no answer. */
  function request<T>(act: () => Promise<T>, lost: Loss, signal: AbortSignal, lateMs = 0): Promise<T> {
    return new Promise((resolve, reject) => {
      if (closing.signal.aborted) return reject(new StoreUnavailable('the store is closed'))
      if (signal.aborted)
        return reject(new StoreUnavailable('given up before it began', { cause: signal.reason }))
      const lostOnTheWay = happens(random, faults.requestLost) || partitioned()
      // A refused request is known not to have arrived; a lost one is not.
      if (lostOnTheWay && random.fraction() < 0.5) return reject(new StoreUnavailable('connection refused'))
      const giveUp = (why: string): void => {
        settle()
        reject(failure(lost, why))
      }
      const onAbort = (): void => giveUp('given up by the caller')
      const onClose = (): void => giveUp('the store was closed meanwhile')
      const cancel: Cancel = local.after(timeoutMs, () => giveUp(`no answer within ${timeoutMs} ms`))
      const settle = (): void => {
        cancel()
        signal.removeEventListener('abort', onAbort)
        closing.signal.removeEventListener('abort', onClose)
      }
      signal.addEventListener('abort', onAbort)
      closing.signal.addEventListener('abort', onClose)
      const answer = (deliver: () => void): void => {
        if (happens(random, faults.answerLost)) return
        travel(network, () => {
          if (partitioned()) return
          local.soon(() => {
            settle()
            deliver()
          })
        })
      }
      if (lostOnTheWay) return
      const leave = lateMs > 0 ? (arrive: () => void) => void network.after(lateMs, arrive) : travelTo
      if (lateMs > 0) onLate(lateMs)
      leave(() => {
        // A late commit lies in some queue on the way, and a partition does not take it back.
        if (partitioned() && lateMs === 0) return
        void act().then(
          (result) => answer(() => resolve(result)),
          (error) => answer(() => reject(error)),
        )
      })
    })
  }

  // The store acts for the network, not for the caller: when the caller gives up, the request goes on.
  const { signal: always } = new AbortController()

  async function commitOnce(commit: Commit): Promise<CommitOutcome> {
    await hooks.beforeCommit?.(commit)
    const outcome = await inner.commit(commit, always)
    await hooks.afterCommit?.(commit, outcome)
    return outcome
  }

  async function commit(commit: Commit, signal: AbortSignal): Promise<CommitOutcome> {
    checkCommit(commit)
    const act = (): Promise<CommitOutcome> => {
      const first = commitOnce(commit)
      // The answer to the second delivery is dropped. It might say "refused", because of the write of the first delivery, and the
      // caller would believe that nothing was written.
      if (happens(random, faults.commitRepeated))
        travel(network, () => void commitOnce(commit).catch(() => {}))
      return first
    }
    const lateMs = happens(random, faults.commitLate) ? 1 + integer(random, faults.latestMs) : 0
    return request(act, 'something may have been written', signal, lateMs)
  }

  const ask = <T>(act: () => Promise<T>, signal: AbortSignal): Promise<T> =>
    request(act, 'certainly nothing was written', signal)

  return {
    read: (keys, signal) => ask(() => inner.read(keys, always), signal),
    list: (range, signal) => ask(() => inner.list(range, always), signal),
    currentRevision: (signal) => ask(() => inner.currentRevision(always), signal),
    commit,
    watch: createFaultyWatch(inner, { network, local, random, faults, partitioned, closed: closing.signal }),
    compact: (revision, signal) => ask(() => inner.compact(revision, always), signal),
    // The inner store belongs to its creator, and may have other users.
    close: async () => closing.abort(),
  }
}

function failure(lost: Loss, why: string): Error {
  return lost === 'certainly nothing was written' ? new StoreUnavailable(why) : new OutcomeUnknown(why)
}
