import type { PolicyRule } from '@strata/api'
import type { Access } from './access.ts'

/** Whether a rule allows the access. Rules only allow; access without a rule is forbidden. */
export function ruleAllows(rule: PolicyRule, { verb, path, target }: Access): boolean {
  if (!target) return includes(rule.verbs, verb) && coversAny(rule.nonResourceURLs, path)
  // Rules for paths have no resources; most requests meet some of them, so this check is first.
  if (!rule.resources || !includes(rule.verbs, verb)) return false
  return (
    includes(rule.apiGroups, target.group) &&
    matchesResource(rule.resources, target.resource, target.subresource) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(target.name))
  )
}

function includes(list: readonly string[] | undefined, wanted: string): boolean {
  if (!list) return false
  for (const each of list) if (each === wanted || each === '*') return true
  return false
}

/** `pods` is not `pods/log`; `*` is everything, and `*` before `/scale` that part of everything. */
function matchesResource(
  resources: readonly string[] | undefined,
  resource: string,
  subresource: string,
): boolean {
  if (!resources) return false
  if (subresource === '') return includes(resources, resource)
  const whole = `${resource}/${subresource}`
  const anyones = `*/${subresource}`
  for (const each of resources) if (each === '*' || each === whole || each === anyones) return true
  return false
}

export function coversAny(urls: readonly string[] | undefined, path: string): boolean {
  return urls?.some((url) => coversPath(url, path)) ?? false
}

/** `/logs/*` is everything that begins with `/logs/`; a star elsewhere is a star. */
function coversPath(url: string, path: string): boolean {
  if (url === path) return true
  let end = url.length
  while (url[end - 1] === '*') end--
  return end < url.length && path.startsWith(url.slice(0, end))
}
