import type { WebhookRule } from '@strata/api'
import type { Operation } from './request.ts'

/** What rules look at. */
export interface RuleFacts {
  readonly operation: Operation
  readonly group: string
  readonly versionName: string
  readonly resource: string
  readonly subresource: string
  /** Of a namespace, its own name. */
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

/** `pods` is no subresource; `pods/*` is every one, and pods themselves. */
function matchesResource(pattern: string, { resource, subresource }: RuleFacts): boolean {
  const slash = pattern.indexOf('/')
  const first = slash < 0 ? pattern : pattern.slice(0, slash)
  const second = slash < 0 ? '' : pattern.slice(slash + 1)
  return (first === '*' || first === resource) && (second === '*' || second === subresource)
}

function matchesScope(scope = '*', { group, versionName, resource, namespace }: RuleFacts): boolean {
  if (scope === '*') return true
  // Namespaces have the namespace that they are, and are in none.
  const isNamespace = group === '' && versionName === 'v1' && resource === 'namespaces'
  const isNamespaced = namespace !== '' && !isNamespace
  return scope === (isNamespaced ? 'Namespaced' : 'Cluster')
}
