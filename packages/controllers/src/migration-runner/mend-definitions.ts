import { ApiError, customResourceDefinitions, type GroupResource, groupResourceText } from '@strata/api'
import type { Client } from '@strata/client'
import type { Log, World } from '@strata/world'
import { sayOfDefinition } from './definition-status.ts'

export interface MendOptions {
  readonly client: Client
  readonly world: Pick<World, 'clock'>
  readonly log: Log
  /** Whether a migration of the resource has not come to its end. */
  readonly isOpen: (resource: GroupResource) => boolean
}

/** Definitions are large, and all of them are looked at. */
const pageSize = 50

/**
 * Tells definitions that say that a migration runs, and of which none does, that it does not: it was deleted while nobody
 * looked. Upstream leaves them so for ever.
 */
export async function mendDefinitions(options: MendOptions, signal: AbortSignal): Promise<void> {
  const { client, isOpen, log } = options
  const definitions = client.resource(customResourceDefinitions, 'v1')
  try {
    const { items } = await definitions.list({ pageSize }, signal)
    for (const { spec, status } of items) {
      const told = status?.conditions?.find(({ type }) => type === 'StorageMigrating')
      const resource = { group: spec.group, resource: spec.names.plural }
      if (told?.status !== 'True' || told.reason !== 'MigrationRunning' || isOpen(resource)) continue
      log.info('a definition says that a migration runs, and none does', {
        ...{ definition: groupResourceText(resource), said: told.message },
      })
      await sayOfDefinition({ ...options, resource }, () => ({ kind: 'failed' }), signal)
    }
  } catch (error) {
    // Where there are no definitions, or none that we may see, there is nothing to mend.
    if (!(error instanceof ApiError) || (error.code !== 403 && error.code !== 404)) throw error
  }
}
