import type { WebhookRule } from '@strata/api'
import type { Operation } from './request.ts'

/** The input of rules. */
export interface RuleFacts {
  readonly operation: Operation
  readonly group: string
  readonly versionName: string
  readonly resource: string
  readonly subresource: string
  /** For a namespace, its own name. */
  readonly namespace: string
}

export function matchesRule(rule: WebhookRule, facts: RuleFacts): boolean {
  return (
    matchesScope(rule.scope, facts) &&
    isAmong(rule.operations, facts.operation) &&
    isAmong(rule.apiGroups, facts.group) &&
    isAmong(rule.apiVersions, facts.versionName) &&
    (rule.resources ?? []).some((each) => matchesResource(each, facts))
  )
}

function isAmong(values: readonly string[] = [], wanted: string): boolean {
  return values.includes(wanted) || values.includes('*')
}

/** `pods` matches no subresource; `pods/*` matches every one, and pods themselves. */
function matchesResource(pattern: string, { resource, subresource }: RuleFacts): boolean {
  const slash = pattern.indexOf('/')
  const first = slash < 0 ? pattern : pattern.slice(0, slash)
  const second = slash < 0 ? '' : pattern.slice(slash + 1)
  return (first === '*' || first === resource) && (second === '*' || second === subresource)
}

function matchesScope(scope = '*', { group, versionName, resource, namespace }: RuleFacts): boolean {
  if (scope === '*') return true
  // The namespace attribute of a Namespace is its own name, though it is cluster-scoped.
  const isNamespace = group === '' && versionName === 'v1' && resource === 'namespaces'
  const isNamespaced = namespace !== '' && !isNamespace
  return scope === (isNamespaced ? 'Namespaced' : 'Cluster')
}
