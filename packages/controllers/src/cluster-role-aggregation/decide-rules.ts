import { type ClusterRole, jsonEqual, matchesLabels, type PolicyRule, requirementsOf } from '@strata/api'

/**
 * The rules that an aggregated role should have: those of every role that one of its selectors matches, in the order of
 * their names, each once. Undefined if it has them already, or is not aggregated. They are for readers of the role: the
 * authorizer ignores them and computes its own (authorization/aggregated-rules.ts in the server).
 */
export function decideRules(
  role: ClusterRole | undefined,
  all: Iterable<ClusterRole>,
): readonly PolicyRule[] | undefined {
  if (!role?.aggregationRule) return undefined
  const others = [...all]
    .filter(({ metadata }) => metadata.name !== role.metadata.name)
    .sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
  const gathered: PolicyRule[] = []
  for (const selector of role.aggregationRule.clusterRoleSelectors ?? []) {
    const requirements = requirementsOf(selector)
    for (const { metadata, rules } of others) {
      if (!matchesLabels(requirements, metadata.labels)) continue
      for (const rule of rules ?? []) {
        if (!gathered.some((each) => jsonEqual(each, rule))) gathered.push(rule)
      }
    }
  }
  return jsonEqual(gathered, role.rules ?? []) ? undefined : gathered
}
