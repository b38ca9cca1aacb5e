import { type ApiObject, type Binding, type ClusterRole, jsonEqual, type PolicyRule } from '@strata/api'
import { missingRights } from '../authorization/index.ts'

export type PolicyDecision =
  | { readonly do: 'nothing' }
  | { readonly do: 'create' }
  | { readonly do: 'update'; readonly object: ApiObject }
  /** A binding's role is immutable: another role needs a new binding. */
  | { readonly do: 'recreate' }

const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate'

/**
 * The change of one default object. Missing rules are added, and none is removed: administrators may have added more. With the
 * annotation they keep all their changes.
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
  // Otherwise every role with the label would become part of a role that is meant to be fixed.
  if (!expected) return stored ? { aggregationRule: undefined } : {}
  const selectors = stored?.clusterRoleSelectors ?? []
  const missing = (expected.clusterRoleSelectors ?? []).filter(
    (each) => !selectors.some((other) => jsonEqual(each, other)),
  )
  return missing.length === 0 ? {} : { aggregationRule: { clusterRoleSelectors: [...selectors, ...missing] } }
}
