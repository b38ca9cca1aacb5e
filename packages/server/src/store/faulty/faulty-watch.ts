import type { Clock, Random } from '@strata/world'
import { RevisionCompacted, StoreUnavailable } from '../errors.ts'
import type { ChangeBatch, Key, Revision, Store } from '../store.ts'
import { type Faults, happens, pickDelayMs } from './faults.ts'

export interface FaultyWatchOptions {
  readonly network: Clock
  readonly local: Clock
  readonly random: Random
  readonly faults: Faults
  readonly partitioned: () => boolean
  /** Aborted when the store is closed. */
  readonly closed: AbortSignal
}

/** The delay before a broken connection is retried. */
const reconnectMs = 100

/** Watches through a connection that delays, breaks, and resumes. */
export function createFaultyWatch(inner: Store, options: FaultyWatchOptions): Store['watch'] {
  const { network, local, random, faults, partitioned, closed } = options

  return async function* watch(prefix: Key, after: Revision, signal: AbortSignal) {
    let seen = after
    for (let first = true; ; first = false) {
      await connected(first, signal)
      const connection = linked(signal, closed)
      try {
        // One revision earlier than needed: the last revision comes again, as a whole.
        const repeat = seen > after && happens(random, faults.watchRepeat)
        for await (const batch of resume(prefix, seen, repeat, connection.signal)) {
          if (!(await arrives(connection.signal))) break
          seen = batch.revision
          yield batch
          if (happens(random, faults.watchCut)) break
        }
      } catch (error) {
        // A refusal is an answer, too: a frozen process does not receive it.
        await new Promise<void>((resolve) => local.soon(resolve))
        throw error
      } finally {
        connection.end()
      }
      if (signal.aborted) return
      if (closed.aborted) throw new StoreUnavailable('the store is closed')
    }
  }

  async function* resume(
    prefix: Key,
    seen: Revision,
    repeat: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<ChangeBatch, void> {
    let delivered = false
    try {
      for await (const batch of inner.watch(prefix, repeat ? seen - 1 : seen, signal)) {
        delivered = true
        yield batch
      }
    } catch (error) {
      // The repeat is optional. If it has been compacted meanwhile, nothing is missing.
      if (!repeat || delivered || !(error instanceof RevisionCompacted)) throw error
      yield* inner.watch(prefix, seen, signal)
    }
  }

  /** Resolves when the store can be reached, or when there is no reason left to reach it. */
  function connected(first: boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const attempt = (): void => {
        if (partitioned() && !signal.aborted && !closed.aborted) network.after(reconnectMs, attempt)
        else local.soon(resolve)
      }
      if (first) network.soon(attempt)
      else network.after(reconnectMs, attempt)
    })
  }

  /** Delivers one batch to the watcher. False if it was lost, or the watch has ended. */
  function arrives(wanted: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const unwanted = (): void => resolve(false)
      const arrive = (): void => {
        wanted.removeEventListener('abort', unwanted)
        const passed = !partitioned()
        local.soon(() => resolve(passed))
      }
      if (wanted.aborted) return resolve(false)
      wanted.addEventListener('abort', unwanted)
      const delayMs = pickDelayMs(random, faults.delayMs)
      if (delayMs > 0) network.after(delayMs, arrive)
      else network.soon(arrive)
    })
  }
}

/** A signal that is aborted with any of the others, and a function that releases them. */
function linked(...parents: readonly AbortSignal[]): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  for (const parent of parents) {
    if (parent.aborted) abort()
    parent.addEventListener('abort', abort)
  }
  return {
    signal: controller.signal,
    end: () => {
      for (const parent of parents) parent.removeEventListener('abort', abort)
      abort()
    },
  }
}
