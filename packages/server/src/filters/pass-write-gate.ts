import type { WriteGate } from '../coordination/index.ts'
import { decideGate } from './decide-gate.ts'
import type { Filter } from './filter.ts'

/**
 * KEP-2339, "Updating StorageVersion": until this server's entry is stored, writes of the resource are refused with 503,
 * before their body is read. The fence refuses them as well, but later.
 */
export function writeGate(gate: Pick<WriteGate, 'check'>): Filter {
  return async (context, next) => {
    const { resource } = context
    const verdict = decideGate(context.info, resource?.definition)
    if (verdict.do === 'check' && resource) gate.check(resource.definition)
    return next(context)
  }
}
