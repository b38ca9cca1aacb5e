import type { WriteGate } from '../coordination/index.ts'
import type { ServedApi } from '../registry/index.ts'
import type { Filter } from './filter.ts'

const reads = new Set(['get', 'list', 'watch'])

/**
 * Seed 003, "Updating StorageVersion": until this server's entry is stored, writes of the resource are
 * refused (503), before their body is read. The fence refuses them too; this only says it sooner. Custom resources are
 * registered while clients are at work: their writes wait a while, further in.
 */
export function writeGate(gate: WriteGate, api: ServedApi): Filter {
  return async (context, next) => {
    const { verb, target } = context.info
    if (target && !reads.has(verb)) {
      const resource = api.find(target.group, target.versionName, target.resource)
      if (resource && !resource.definition.isReview && !resource.definition.isCustom)
        gate.check(resource.definition)
    }
    return next(context)
  }
}
