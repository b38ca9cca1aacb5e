import { ApiError, type Event } from '@strata/api'
import { deadline, sleep } from '@strata/world'
import { create, type Registry, type ServedResource, systemWrite } from '../registry/index.ts'

const attempts = 3
const writeMs = 10_000

/** Writes one Event. Returns false, and logs it, if a few attempts fail. */
export async function writeEvent(
  registry: Registry,
  resource: ServedResource,
  event: Event,
  signal: AbortSignal,
): Promise<boolean> {
  const { clock, log } = registry.world
  const { namespace = 'default' } = event.metadata
  for (let attempt = 1; ; attempt++) {
    const limit = deadline(clock, writeMs, signal)
    try {
      await create(registry, resource, namespace, structuredClone(event), systemWrite, limit.signal)
      return true
    } catch (error) {
      if (error instanceof ApiError && error.reason === 'AlreadyExists') return true
      if (signal.aborted || attempt >= attempts) {
        const { reason, message } = event
        log.warn('cannot write an Event', { reason, message, error: String(error) })
        return false
      }
      await sleep(clock, 1_000 * attempt, signal).catch(() => {})
    } finally {
      limit.dispose()
    }
  }
}
