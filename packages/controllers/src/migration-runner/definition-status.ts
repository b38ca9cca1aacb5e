import {
  ApiError,
  type CustomResourceDefinition,
  customResourceDefinitions,
  type GroupResource,
  groupResourceText,
} from '@strata/api'
import { type Client, isConflict } from '@strata/client'
import { type Log, timestamp, type World } from '@strata/world'
import { type DefinitionSaying, decideDefinition } from './decide-definition.ts'

export interface DefinitionStatusOptions {
  readonly client: Client
  readonly world: Pick<World, 'clock'>
  readonly log: Log
  readonly resource: GroupResource
}

const attempts = 5
const fieldManager = 'migration-runner-controller'

/**
 * Says something in the status of the definition of a resource, if it has one. Whoever may not write there migrates all
 * the same: what is said there is for people, and pruning is nothing that has to be done at once.
 */
export async function sayOfDefinition(
  { client, world, log, resource }: DefinitionStatusOptions,
  saying: (definition: CustomResourceDefinition) => DefinitionSaying,
  signal: AbortSignal,
): Promise<void> {
  // Definitions have groups with a dot: what has none is built in.
  if (!resource.group.includes('.')) return
  const name = groupResourceText(resource)
  const definitions = client.resource(customResourceDefinitions, 'v1')
  for (let attempt = 1; ; attempt++) {
    try {
      const definition = await definitions.get({ name }, signal)
      const said = saying(definition)
      const patch = decideDefinition(definition, said, timestamp(world.clock))
      if (patch === undefined) return
      await definitions.patch({ name }, patch, signal, { subresource: 'status', fieldManager })
      log.info('told the definition', { definition: name, ...said })
      return
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.code === 404) return
      // Somebody else has written it: what is to be said may be something else now.
      if (isConflict(error) && attempt < attempts) continue
      if (error.code >= 500 || error.code === 429) throw error
      log.warn('could not tell the definition', { definition: name, error: String(error) })
      return
    }
  }
}
