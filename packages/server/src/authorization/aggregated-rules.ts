import {
  type ClusterRole,
  type LabelSelector,
  matchesLabels,
  type PolicyRule,
  requirementsOf,
} from '@strata/api'

/** The parts of a ClusterRole that access decisions need. */
export interface RoleSource {
  readonly labels: Readonly<Record<string, string>> | undefined
  /** As stored. Those of an aggregated role are a copy that a controller keeps, and are ignored here. */
  readonly rules: readonly PolicyRule[]
  /** Undefined for a role that is not aggregated. */
  readonly selectors: readonly LabelSelector[] | undefined
}

export function roleSource({ metadata, rules, aggregationRule }: ClusterRole): RoleSource {
  return {
    labels: metadata.labels,
    rules: rules ?? [],
    selectors: aggregationRule ? (aggregationRule.clusterRoleSelectors ?? []).map(requirementsOf) : undefined,
  }
}

/**
 * The rules of an aggregated role: those of every role that it selects, also through other aggregated roles. The stored rules of
 * aggregated roles are ignored, so that roles which select each other keep no rule alive that none of their sources has.
 */
export function aggregateRules(name: string, all: ReadonlyMap<string, RoleSource>): readonly PolicyRule[] {
  const byName = [...all].sort(([a], [b]) => (a < b ? -1 : 1))
  const seen = new Set([name])
  const waiting = [name]
  const gathered = new Map<string, PolicyRule>()
  for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
    const { selectors, rules } = all.get(each) ?? { rules: [] }
    if (!selectors) {
      for (const rule of rules) gathered.set(JSON.stringify(rule), rule)
      continue
    }
    for (const [other, { labels }] of byName) {
      if (seen.has(other) || !selectors.some((selector) => matchesLabels(selector, labels))) continue
      seen.add(other)
      waiting.push(other)
    }
  }
  return [...gathered.values()]
}
