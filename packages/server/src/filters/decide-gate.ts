import type { ResourceDefinition } from '@strata/api'
import type { RequestInfo } from '../handlers/index.ts'

/** What the filter has to know of a kind. */
export type GatedKind = Pick<ResourceDefinition, 'isReview' | 'isCustom' | 'bootstrap'>

export interface GateVerdict {
  /** Which of upstream's nine rules (behaviour.md, section 1.6) it is, or stands for. */
  readonly rule: 3 | 4 | 5 | 6 | 7 | 8 | 9
  /** Pass: on with it. Ask: the gate says whether the resource may be written now. */
  readonly do: 'pass' | 'ask'
}

const reads = new Set(['get', 'list', 'watch'])

/**
 * The rules of upstream's filter, in its order: which requests a server lets through that has not registered what they
 * are about. A part of an object is judged by the object, a dry run as if it were none, a deletion as any write.
 *
 * Rule 1, that all pass once everything was registered, has no place: an entry may be taken out again, and then its gate
 * is closed again. Nor has rule 2, for there is no request without its reading. Rules 5, 6 and 7 name what a server has
 * to write before its entries stand; here these are whole kinds, which have one version for ever and need no entry
 * (agreement.md, rule 0), whoever writes them and wherever. They too ask, for a server that is leaving writes nothing.
 */
export function decideGate(
  { verb, target }: Pick<RequestInfo, 'verb' | 'target'>,
  kind: GatedKind | undefined,
): GateVerdict {
  if (!target) return { rule: 3, do: 'pass' }
  if (reads.has(verb)) return { rule: 4, do: 'pass' }
  if (kind?.bootstrap) return { rule: bootstrapRule(target.resource), do: 'ask' }
  // Nothing is stored of a review, nothing is served of what is not known, and whoever writes a custom resource waits
  // for it further in.
  if (!kind || kind.isReview || kind.isCustom) return { rule: 8, do: 'pass' }
  return { rule: 9, do: 'ask' }
}

function bootstrapRule(resource: string): 5 | 6 | 7 {
  if (resource === 'namespaces') return 6
  return resource === 'leases' ? 7 : 5
}
