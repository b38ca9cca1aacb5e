import type { ResourceDefinition } from '@strata/api'
import type { RequestInfo } from '../handlers/index.ts'

/** The properties of a kind that the filter needs. */
export type GatedKind = Pick<ResourceDefinition, 'isReview' | 'isCustom' | 'bootstrap'>

export interface GateVerdict {
  /** The rule of upstream's filter that applies (docs/reference/upstream-behaviour.md, section 1.6). */
  readonly rule: 3 | 4 | 5 | 6 | 7 | 8 | 9
  /** `check`: the write gate decides whether the resource may be written now. */
  readonly do: 'pass' | 'check'
}

const reads = new Set(['get', 'list', 'watch'])

/**
 * The rules of upstream's filter, in its order: which requests pass before the server has registered their resource. A
 * subresource counts as its object, a dry run as a write, a deletion as a write.
 *
 * Two of the nine rules do not apply here. Rule 1 lets everything pass once all is registered; here an entry may be removed
 * again, which closes its gate again. Rule 2 is about requests without request info, and there are none. Rules 5, 6 and 7
 * name objects that a server writes before it has entries. Here they are whole kinds, with one version for ever and no
 * entry (agreement.md, rule 0). They are checked too, because a server that is leaving writes nothing.
 */
export function decideGate(
  { verb, target }: Pick<RequestInfo, 'verb' | 'target'>,
  kind: GatedKind | undefined,
): GateVerdict {
  if (!target) return { rule: 3, do: 'pass' }
  if (reads.has(verb)) return { rule: 4, do: 'pass' }
  if (kind?.bootstrap) return { rule: bootstrapRule(target.resource), do: 'check' }
  // A review is not stored and an unknown resource is not served. Writes of custom resources wait for the gate in the
  // handler.
  if (!kind || kind.isReview || kind.isCustom) return { rule: 8, do: 'pass' }
  return { rule: 9, do: 'check' }
}

function bootstrapRule(resource: string): 5 | 6 | 7 {
  if (resource === 'namespaces') return 6
  return resource === 'leases' ? 7 : 5
}
