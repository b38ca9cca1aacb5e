import type { WriteGate } from '../coordination/index.ts'
import { decideGate } from './decide-gate.ts'
import type { Filter } from './filter.ts'

/**
 * Seed 003, "Updating StorageVersion": until this server's entry is stored, writes of the resource are
 * refused (503), before their body is read. The fence refuses them too; this only says it sooner.
 */
export function writeGate(gate: Pick<WriteGate, 'check'>): Filter {
  return async (context, next) => {
    const { resource } = context
    const verdict = decideGate(context.info, resource?.definition)
    if (verdict.do === 'ask' && resource) gate.check(resource.definition)
    return next(context)
  }
}
