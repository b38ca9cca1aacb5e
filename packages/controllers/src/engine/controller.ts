import { retryAfterMs } from '@strata/client'
import { type Cancel, deadline, InvariantBroken, type World } from '@strata/world'
import { TerminalError } from './errors.ts'
import { type Outcome, WorkQueue } from './work-queue.ts'

/** Where work comes from: it names keys, and never says what happened to them. */
export interface Source {
  /** Keys of all that is there, then of all that changes. */
  subscribe(enqueue: (key: string) => void): Cancel
  whenSynced(signal: AbortSignal): Promise<void>
}

/**
 * Brings the world closer to what it should be, for one key. It is told only where to look, because what it
 * was told would be old by the time it acts. Whatever it throws is tried again, later and later, except a
 * `TerminalError`.
 */
export interface Reconciler {
  reconcile(key: string, signal: AbortSignal): Promise<Settled>
}

/** Undefined: nothing more to do until something changes. */
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
 * Sources, queue, workers. Runs until the signal is aborted, and comes back only when no reconciler is under
 * way any more: whoever takes over may rely on that.
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
      // A bug of ours ends the process rather than being tried for ever.
      if (error instanceof InvariantBroken) throw error
      if (signal.aborted) return { kind: 'settled' }
      const terminal = error instanceof TerminalError
      log.warn(terminal ? 'gave up until it changes' : 'failed; trying again', { key, error: String(error) })
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
    // Half a view decides nothing wrong, but asks the server about everything that it has not heard of yet.
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

/** Waits for all of them; the first that fails stops the others, and is thrown when they have ended. */
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
