import {
  ApiError,
  type CustomResourceDefinition,
  customResourceDefinitions,
  type GroupResource,
  groupResourceText,
} from '@strata/api'
import {
  type Client,
  isConflict,
  isNotFound,
  isRequestFailure,
  isTransient,
  retryAfterMs,
} from '@strata/client'
import { backoffMs, type Log, sleep, timestamp, type World } from '@strata/world'
import { type CrdStage, decideCrdStatus } from './decide-crd-status.ts'

export interface DefinitionStatusOptions {
  readonly client: Client
  readonly world: Pick<World, 'clock'>
  readonly log: Log
  readonly resource: GroupResource
  /** How long to retry. */
  readonly patienceMs?: number
}

const patienceDefaultMs = 30_000
const pause = { firstMs: 100, maxMs: 10_000, attempts: 0 }
const fieldManager = 'migration-runner-controller'

/**
 * Updates the StorageMigrating condition of the CRD of a resource, if it has one; returns why that failed. A runner without
 * the right to do so migrates all the same: the condition is for people, and a user can prune later.
 */
export async function updateCrdStatus(
  { client, world, log, resource, patienceMs = patienceDefaultMs }: DefinitionStatusOptions,
  stage: (definition: CustomResourceDefinition) => CrdStage,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Groups of CRDs have a dot; a group without one is built in.
  if (!resource.group.includes('.')) return undefined
  const name = groupResourceText(resource)
  const definitions = client.resource(customResourceDefinitions, 'v1')
  const endMs = world.clock.monotonicMs() + patienceMs
  for (let failures = 0; ; failures++) {
    try {
      const definition = await definitions.get({ name }, signal)
      const said = stage(definition)
      const patch = decideCrdStatus(definition, said, timestamp(world.clock))
      if (patch === undefined) return undefined
      await definitions.patch({ name }, patch, signal, { subresource: 'status', fieldManager })
      log.info('CRD status updated', { definition: name, ...said })
      return undefined
    } catch (error) {
      if (signal.aborted || !isRequestFailure(error)) throw error
      if (isNotFound(error)) return undefined
      if (!mayPass(error) || world.clock.monotonicMs() >= endMs) {
        log.warn('CRD status update failed', { definition: name, error: String(error) })
        return error instanceof Error ? error.message : String(error)
      }
      // Worth retrying: a client that writes the CRD all the time leaves a gap now and then, and no controller prunes it later.
      const waitMs = failures === 0 ? 0 : backoffMs(pause, failures - 1)
      await sleep(world.clock, Math.max(waitMs, retryAfterMs(error)), signal)
    }
  }
}

/**
 * After a conflict the CRD is read again, and the decision may change. Without an answer the write may have been carried
 * out, which the next read shows.
 */
function mayPass(error: unknown): boolean {
  return !(error instanceof ApiError) || isConflict(error) || isTransient(error)
}
