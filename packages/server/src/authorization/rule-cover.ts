import type { PolicyRule } from '@strata/api'
import { coversAny } from './rule-matches.ts'

/** How many more rules may be compared. A comparison ends early when none is left, and has then proved nothing. */
export interface Effort {
  left: number
}

/**
 * The smallest parts of `wanted` that no rule of `held` grants. One at a time: a rule of a few kilobytes has millions of them,
 * and the caller need not get all.
 */
export function* missingRights(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
  effort: Effort = { left: Number.POSITIVE_INFINITY },
): Generator<PolicyRule> {
  const rules = held.map(asSets)
  for (const rule of wanted) {
    // Usually one rule grants it all, and its parts need not be compared.
    if (narrow(rules, effort, (each) => coversWhole(each, rule, effort)).length > 0) continue
    yield* missingResources(rules, rule, effort)
    yield* missingPaths(rules, rule, effort)
    if (effort.left < 0) return
  }
}

/** One verb on one resource of one group each: a single rule covers such a part, or none does. */
function* missingResources(held: readonly HeldRule[], rule: PolicyRule, effort: Effort) {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [] } = rule
  for (const group of apiGroups) {
    const ofGroup = narrow(held, effort, (each) => hasOrAll(each.apiGroups, group))
    for (const resource of resources) {
      const ofResource = narrow(ofGroup, effort, (each) => coversResource(each.resources, resource))
      for (const verb of verbs) {
        const ofVerb = narrow(ofResource, effort, (each) => hasOrAll(each.verbs, verb))
        if (effort.left < 0) return
        const part = { apiGroups: [group], resources: [resource], verbs: [verb] }
        // Rights on some objects do not cover those on all of them.
        if (resourceNames.length === 0 && !ofVerb.some(({ names }) => names.size === 0)) yield part
        for (const name of resourceNames) {
          const ofName = narrow(ofVerb, effort, ({ names }) => names.size === 0 || names.has(name))
          if (effort.left < 0) return
          if (ofName.length === 0) yield { ...part, resourceNames: [name] }
        }
      }
    }
  }
}

function* missingPaths(held: readonly HeldRule[], rule: PolicyRule, effort: Effort) {
  for (const url of rule.nonResourceURLs ?? []) {
    const ofPath = narrow(held, effort, ({ urls }) => {
      effort.left -= urls.length
      return coversAny(urls, url)
    })
    for (const verb of rule.verbs ?? []) {
      const ofVerb = narrow(ofPath, effort, ({ verbs }) => hasOrAll(verbs, verb))
      if (effort.left < 0) return
      if (ofVerb.length === 0) yield { nonResourceURLs: [url], verbs: [verb] }
    }
  }
}

/** Rules are compared repeatedly, and some have long lists. */
interface HeldRule {
  readonly verbs: ReadonlySet<string>
  readonly apiGroups: ReadonlySet<string>
  readonly resources: ReadonlySet<string>
  readonly names: ReadonlySet<string>
  readonly urls: readonly string[]
}

const asSets = (rule: PolicyRule): HeldRule => ({
  verbs: new Set(rule.verbs),
  apiGroups: new Set(rule.apiGroups),
  resources: new Set(rule.resources),
  names: new Set(rule.resourceNames),
  urls: rule.nonResourceURLs ?? [],
})

const none: readonly HeldRule[] = []

function narrow(
  rules: readonly HeldRule[],
  effort: Effort,
  covers: (rule: HeldRule) => boolean,
): readonly HeldRule[] {
  effort.left -= 1 + rules.length
  return effort.left < 0 ? none : rules.filter(covers)
}

function coversWhole(held: HeldRule, wanted: PolicyRule, effort: Effort): boolean {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = wanted
  const all = (list: readonly string[], covers: (each: string) => boolean, cost = 1): boolean => {
    effort.left -= list.length * cost
    return effort.left >= 0 && list.every(covers)
  }
  return (
    all(verbs, (each) => hasOrAll(held.verbs, each)) &&
    all(apiGroups, (each) => hasOrAll(held.apiGroups, each)) &&
    all(resources, (each) => coversResource(held.resources, each)) &&
    all(nonResourceURLs, (each) => coversAny(held.urls, each), held.urls.length) &&
    (held.names.size === 0 ||
      (resourceNames.length > 0 && all(resourceNames, (each) => held.names.has(each))))
  )
}

const hasOrAll = (held: ReadonlySet<string>, wanted: string): boolean => held.has('*') || held.has(wanted)

function coversResource(held: ReadonlySet<string>, wanted: string): boolean {
  if (hasOrAll(held, wanted)) return true
  const slash = wanted.indexOf('/')
  return slash >= 0 && held.has(`*${wanted.slice(slash)}`)
}
