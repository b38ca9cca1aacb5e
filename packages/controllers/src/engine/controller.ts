import { retryAfterMs } from '@strata/client'
import { type Cancel, deadline, InvariantBroken, type World } from '@strata/world'
import { TerminalError } from './errors.ts'
import { type Outcome, WorkQueue } from './work-queue.ts'

/** How often controllers that follow every kind read discovery. */
export const discoverEveryMs = 30_000

/** A source of keys to reconcile. It never says what happened to them. */
export interface Source {
  /** Enqueues the keys of all existing objects, then of every change. */
  subscribe(enqueue: (key: string) => void): Cancel
  whenSynced(signal: AbortSignal): Promise<void>
}

/**
 * Reconciles one key. It gets only the key, because the state at the time of the event would be old by the time it acts.
 * Every error is retried with backoff, except a `TerminalError`.
 */
export interface Reconciler {
  reconcile(key: string, signal: AbortSignal): Promise<Settled>
}

/** When to reconcile the key again. Undefined: after the next change. */
export type Settled = { readonly lookAgainMs: number } | undefined

export interface ControllerOptions {
  readonly name: string
  readonly world: Pick<World, 'clock' | 'random' | 'log'>
  readonly sources: readonly Source[]
  readonly reconciler: Reconciler
  readonly workers?: number
  readonly backoff?: { readonly firstMs: number; readonly maxMs: number }
  readonly reconcileTimeoutMs?: number
}

const controllerDefaults = {
  workers: 4,
  backoff: { firstMs: 50, maxMs: 60_000 },
  reconcileTimeoutMs: 30_000,
} as const

/**
 * Runs sources, queue and workers until the signal is aborted. Returns only when no reconciler is under way any more: the
 * next leader may rely on that.
 */
export async function runController(options: ControllerOptions, signal: AbortSignal): Promise<void> {
  const { world, sources, reconciler, name } = options
  const { workers, backoff, reconcileTimeoutMs } = { ...controllerDefaults, ...options }
  const log = world.log.with({ controller: name })
  const queue = new WorkQueue({ ...world, backoff })
  const close = (): void => queue.close()
  signal.addEventListener('abort', close, { once: true })
  if (signal.aborted) close()

  const attempt = async (key: string): Promise<Outcome> => {
    const limit = deadline(world.clock, reconcileTimeoutMs, signal)
    try {
      const settled = await reconciler.reconcile(key, limit.signal)
      return settled ? { kind: 'again', afterMs: settled.lookAgainMs } : { kind: 'settled' }
    } catch (error) {
      // A bug ends the process: a retry would fail for ever.
      if (error instanceof InvariantBroken) throw error
      if (signal.aborted) return { kind: 'settled' }
      const terminal = error instanceof TerminalError
      log.warn(terminal ? 'reconcile failed; waiting for a change' : 'reconcile failed; retrying', {
        key,
        error: String(error),
      })
      return terminal ? { kind: 'settled' } : { kind: 'failed', atLeastMs: retryAfterMs(error) }
    } finally {
      limit.dispose()
    }
  }

  const work = async (): Promise<void> => {
    for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
      queue.done(key, await attempt(key))
    }
  }

  const cancels = sources.map((source) => source.subscribe((key) => queue.add(key)))
  try {
    // Half a view decides nothing wrong, but would ask the server about every object that the informers lack.
    await Promise.all(sources.map((source) => source.whenSynced(signal)))
    await allOrNone(Array.from({ length: workers }, work), close)
  } catch (error) {
    if (!signal.aborted || error instanceof InvariantBroken) throw error
  } finally {
    close()
    signal.removeEventListener('abort', close)
    for (const cancel of cancels) cancel()
  }
}

/** Waits for all workers. The first error stops the others, and is thrown when they have ended. */
async function allOrNone(running: readonly Promise<void>[], stop: () => void): Promise<void> {
  const results = await Promise.allSettled(
    running.map((each) =>
      each.catch((error: unknown) => {
        stop()
        throw error
      }),
    ),
  )
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
