import { badRequest, type Status } from '@strata/api'
import { type DeleteOptions, type Registry, remove } from '../registry/index.ts'
import { readJson } from './body.ts'
import type { RequestContext, ResourceHandler } from './request-context.ts'
import { respondBytes, respondJson } from './respond.ts'

export function deleteHandler(registry: Registry): ResourceHandler {
  return async (context, resource, target) => {
    const options = await deleteOptions(context)
    const { value, revision, gone } = await remove(registry, resource, target, options, context.signal)
    const { definition, codec, apiVersion } = resource
    if (!gone || definition.strategy.returnsDeletedObject) {
      return respondBytes(200, codec.serve(value, revision, apiVersion))
    }
    const uid = codec.decode(value).hub.metadata.uid
    const status: Status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: {
        name: target.name,
        ...(definition.group === '' ? {} : { group: definition.group }),
        kind: definition.resource,
        ...(uid === undefined ? {} : { uid }),
      },
      code: 200,
    }
    const { code: _, ...shown } = status
    return respondJson(200, shown)
  }
}

async function deleteOptions(context: RequestContext): Promise<DeleteOptions> {
  const options = (await readJson(context)) ?? {}
  if (options['kind'] !== undefined && options['kind'] !== 'DeleteOptions') {
    throw badRequest(`kind: expected DeleteOptions, found ${JSON.stringify(options['kind'])}`)
  }
  for (const name of ['dryRun', 'orphanDependents', 'propagationPolicy']) {
    // Background is what happens anyway, and what kubectl always asks for.
    if (options[name] !== undefined && options[name] !== 'Background') {
      throw badRequest(`${name}: not supported by this server yet; leave it out`)
    }
  }
  return options as DeleteOptions
}
