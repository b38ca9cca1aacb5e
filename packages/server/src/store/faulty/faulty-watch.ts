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

/** How long a broken connection waits before it tries again. */
const reconnectMs = 100

/** Watches through a connection that delays, breaks, and resumes where it was. */
export function createFaultyWatch(inner: Store, options: FaultyWatchOptions): Store['watch'] {
  const { network, local, random, faults, partitioned, closed } = options

  return async function* watch(prefix: Key, after: Revision, signal: AbortSignal) {
    let seen = after
    for (let first = true; ; first = false) {
      await connected(first, signal)
      const connection = linked(signal, closed)
      try {
        // One revision earlier than needed: what was last seen comes again, all of it together.
        const repeat = seen > after && happens(random, faults.watchRepeat)
        for await (const batch of resume(prefix, seen, repeat, connection.signal)) {
          if (!(await arrives(connection.signal))) break
          seen = batch.revision
          yield batch
          if (happens(random, faults.watchCut)) break
        }
      } catch (error) {
        // A refusal is an answer as well: a process that is frozen does not hear it.
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
      // The repeat is a favour. That it has been compacted meanwhile does not mean that anything is missing.
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

  /** One batch's way to the watcher. False if it was lost, or if nobody wants it any more. */
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

/** A signal that is aborted with any of the others, and the means to let go of them. */
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
