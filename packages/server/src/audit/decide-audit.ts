import type { User } from '../authentication/index.ts'
import type { GroupResources, Level, Policy, PolicyRule, Stage } from './audit-policy.ts'

/** The attributes of a request that rules can match. */
export interface AuditAttributes {
  /** Undefined for wrong credentials. */
  readonly user: User | undefined
  readonly verb: string
  readonly path: string
  readonly target:
    | {
        readonly group: string
        readonly resource: string
        readonly subresource: string
        readonly namespace: string
        readonly name: string
      }
    | undefined
}

export interface AuditDecision {
  readonly level: Level
  readonly omitStages: readonly Stage[]
  readonly omitManagedFields: boolean
}

const nothing: AuditDecision = { level: 'None', omitStages: [], omitManagedFields: false }

/** The audit level of a request: that of the first matching rule, or None. */
export function decideAudit({ rules }: Policy, request: AuditAttributes): AuditDecision {
  return rules.find((rule) => fits(rule, request)) ?? nothing
}

function fits(rule: PolicyRule, { user, verb, path, target }: AuditAttributes): boolean {
  if (rule.users.length > 0 && !rule.users.includes(user?.name ?? '')) return false
  if (rule.userGroups.length > 0 && !user?.groups.some((group) => rule.userGroups.includes(group)))
    return false
  if (rule.verbs.length > 0 && !rule.verbs.includes(verb)) return false
  if (rule.namespaces.length > 0 || rule.resources.length > 0) {
    if (!target) return false
    if (rule.namespaces.length > 0 && !rule.namespaces.includes(target.namespace)) return false
    return rule.resources.length === 0 || rule.resources.some((each) => names(each, target))
  }
  if (rule.nonResourceURLs.length === 0) return true
  return target === undefined && rule.nonResourceURLs.some((pattern) => isBelow(path, pattern))
}

/** A pattern ends in `*`, or is the path itself. */
function isBelow(path: string, pattern: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
}

function names(
  { group, resources, resourceNames }: GroupResources,
  target: NonNullable<AuditAttributes['target']>,
): boolean {
  if (group !== '*' && group !== target.group) return false
  if (resources.length === 0) return true
  if (resourceNames.length > 0 && !resourceNames.includes(target.name)) return false
  return resources.some((pattern) => isResource(pattern, target.resource, target.subresource))
}

/** `pods` does not match `pods/log`: a rule must list subresources. */
function isResource(pattern: string, resource: string, subresource: string): boolean {
  if (pattern === '*') return true
  if (pattern === (subresource === '' ? resource : `${resource}/${subresource}`)) return true
  if (subresource !== '' && pattern === `*/${subresource}`) return true
  return pattern === `${resource}/*`
}
