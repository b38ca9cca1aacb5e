import { type ApiObject, type Binding, type ClusterRole, jsonEqual, type PolicyRule } from '@strata/api'
import { missingRights } from '../authorization/index.ts'

export type PolicyDecision =
  | { readonly do: 'nothing' }
  | { readonly do: 'create' }
  | { readonly do: 'update'; readonly object: ApiObject }
  /** A binding's role cannot be changed: another role is another binding. */
  | { readonly do: 'recreate' }

const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate'

/**
 * What to do about one default object. What is missing is added, and nothing is taken away: administrators may have
 * given more. They keep their changes altogether by the annotation.
 */
export function decidePolicyObject(expected: ApiObject, stored: ApiObject | undefined): PolicyDecision {
  if (!stored) return { do: 'create' }
  if (stored.metadata.annotations?.[autoUpdate] === 'false') return { do: 'nothing' }
  const { roleRef } = expected as Binding
  if (roleRef && !jsonEqual(roleRef, (stored as Binding).roleRef)) return { do: 'recreate' }
  const { labels, annotations } = expected.metadata
  const object: ApiObject = {
    ...stored,
    metadata: {
      ...stored.metadata,
      labels: { ...labels, ...stored.metadata.labels },
      annotations: { ...annotations, ...stored.metadata.annotations },
    },
    ...(roleRef ? withSubjects(expected, stored) : withRules(expected, stored)),
  }
  return jsonEqual(object, stored) ? { do: 'nothing' } : { do: 'update', object }
}

function withSubjects(expected: Binding, stored: Binding): Partial<Binding> {
  const { subjects = [] } = stored
  const missing = (expected.subjects ?? []).filter(
    (each) => !subjects.some((other) => jsonEqual(each, other)),
  )
  return missing.length === 0 ? {} : { subjects: [...subjects, ...missing] }
}

function withRules(expected: ClusterRole, stored: ClusterRole): Partial<ClusterRole> {
  const rules: readonly PolicyRule[] = stored.rules ?? []
  const missing = [...missingRights(rules, expected.rules ?? [])]
  return {
    ...(missing.length === 0 ? {} : { rules: [...rules, ...missing] }),
    ...withAggregation(expected, stored),
  }
}

function withAggregation(
  { aggregationRule: expected }: ClusterRole,
  { aggregationRule: stored }: ClusterRole,
): Record<string, unknown> {
  // Were it left, whatever bears the label would become part of a role that is meant to be fixed.
  if (!expected) return stored ? { aggregationRule: undefined } : {}
  const selectors = stored?.clusterRoleSelectors ?? []
  const missing = (expected.clusterRoleSelectors ?? []).filter(
    (each) => !selectors.some((other) => jsonEqual(each, other)),
  )
  return missing.length === 0 ? {} : { aggregationRule: { clusterRoleSelectors: [...selectors, ...missing] } }
}
