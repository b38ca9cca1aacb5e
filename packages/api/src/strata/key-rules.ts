import type { Lease } from '../coordination/lease.ts'
import type { GroupResource } from '../meta/names.ts'
import { plainKey } from './write-keys.ts'

/**
 * By which keys the server of an identity Lease reads and writes, rule by rule of its encryption file; `[]` of one that
 * encrypts nothing. All our servers say so, also those that record nothing: it is how a server can know what another reads of
 * a resource that it has no entry for yet (rule 17).
 */
export const keyRulesAnnotation = 'strata.dev/encryption-keys'

export interface KeyRule {
  /** As the file names them: `secrets`, `gadgets.example.dev`, `*.example.dev`, `*.`, `*.*`. */
  readonly resources: readonly string[]
  /** The key it would use if it were alone; absent while a KMS has not answered. */
  readonly writes?: string
  readonly reads: readonly string[]
}

/** `secrets`, `gadgets.example.dev`, `*.example.dev`, `*.` and `*.*`: what stands before the first dot is the resource. */
export function parseResourcePattern(text: string): GroupResource {
  const dot = text.indexOf('.')
  return dot < 0
    ? { group: '', resource: text }
    : { group: text.slice(dot + 1), resource: text.slice(0, dot) }
}

/** The rules of one resource: those of its own name, else of its group, else of everything. None: it is stored as it is. */
export function rulesFor<Rule extends { readonly resources: readonly string[] }>(
  rules: readonly Rule[],
  { group, resource }: GroupResource,
): readonly Rule[] {
  const wanted: readonly GroupResource[] = [
    { group, resource },
    { group, resource: '*' },
    { group: '*', resource: '*' },
  ]
  for (const each of wanted) {
    const found = rules.filter(({ resources }) =>
      resources
        .map(parseResourcePattern)
        .some((named) => named.group === each.group && named.resource === each.resource),
    )
    if (found.length > 0) return found
  }
  return []
}

/** The keys that a server with these rules reads for a resource, and the key it would write with. */
export function keysByRules(rules: readonly KeyRule[], resource: GroupResource): Omit<KeyRule, 'resources'> {
  const [first, ...more] = rulesFor(rules, resource)
  if (!first) return { writes: plainKey, reads: [plainKey] }
  const reads = [...new Set([first, ...more].flatMap((each) => each.reads))]
  return first.writes === undefined ? { reads } : { writes: first.writes, reads }
}

/** Undefined if the Lease does not state its rules, or states them in a form that this release does not understand. */
export function keyRulesOf({ metadata: { annotations = {} } }: Lease): readonly KeyRule[] | undefined {
  const text = annotations[keyRulesAnnotation]
  if (text === undefined) return undefined
  try {
    const rules: unknown = JSON.parse(text)
    return Array.isArray(rules) && rules.every(isKeyRule) ? rules : undefined
  } catch {
    return undefined
  }
}

function isKeyRule(value: unknown): value is KeyRule {
  const { resources, reads, writes } = (value ?? {}) as Record<string, unknown>
  return isTexts(resources) && isTexts(reads) && (writes === undefined || typeof writes === 'string')
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
