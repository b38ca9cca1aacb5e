import type { PolicyRule } from '@strata/api'
import { coversPath } from './rule-matches.ts'

/** What of `wanted` no rule of `held` gives, in the smallest parts. */
export function missingRights(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(partsOf).filter((part) => !held.some((rule) => covers(rule, part)))
}

/** One verb on one resource of one group each, so that a part is covered by a single rule or not at all. */
function partsOf(rule: PolicyRule): PolicyRule[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  const parts: PolicyRule[] = []
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const part = { apiGroups: [group], resources: [resource], verbs: [verb] }
        if (resourceNames.length === 0) parts.push(part)
        else for (const name of resourceNames) parts.push({ ...part, resourceNames: [name] })
      }
    }
  }
  for (const url of nonResourceURLs) {
    for (const verb of verbs) parts.push({ nonResourceURLs: [url], verbs: [verb] })
  }
  return parts
}

function covers(rule: PolicyRule, part: PolicyRule): boolean {
  const names = part.resourceNames ?? []
  return (
    coversAll(rule.verbs, part.verbs) &&
    coversAll(rule.apiGroups, part.apiGroups) &&
    (part.resources ?? []).every((each) => coversResource(rule.resources ?? [], each)) &&
    (part.nonResourceURLs ?? []).every((each) =>
      (rule.nonResourceURLs ?? []).some((url) => coversPath(url, each)),
    ) &&
    // Rights on some objects do not cover those on all of them.
    (!rule.resourceNames?.length || (names.length > 0 && coversNames(rule.resourceNames, names)))
  )
}

const coversAll = (held: readonly string[] = [], wanted: readonly string[] = []): boolean =>
  held.includes('*') || wanted.every((each) => held.includes(each))

const coversNames = (held: readonly string[], wanted: readonly string[]): boolean =>
  wanted.every((each) => held.includes(each))

function coversResource(held: readonly string[], wanted: string): boolean {
  if (held.includes('*') || held.includes(wanted)) return true
  const slash = wanted.indexOf('/')
  return slash >= 0 && held.includes(`*${wanted.slice(slash)}`)
}

/** Parts of the same resource in one line, sorted, in upstream's notation. */
export function describeRights(parts: readonly PolicyRule[]): string {
  const whole: PolicyRule[] = []
  const byResource = new Map<string, PolicyRule>()
  for (const part of parts) {
    if (part.nonResourceURLs) {
      whole.push(part)
      continue
    }
    const key = JSON.stringify([part.apiGroups, part.resources, part.resourceNames])
    const before = byResource.get(key)
    byResource.set(key, { ...part, verbs: [...(before?.verbs ?? []), ...(part.verbs ?? [])] })
  }
  const texts = [...whole, ...byResource.values()].map(describeRule)
  return [...new Set(texts)].sort().join('\n')
}

function describeRule(rule: PolicyRule): string {
  const fields: ReadonlyArray<[label: string, values: readonly string[] | undefined]> = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ]
  const shown = fields.flatMap(([label, values]) =>
    values?.length ? [`${label}:${quotedList(values)}`] : [],
  )
  return `{${shown.join(', ')}}`
}

/** `["a" "b"]`, as Go writes a list of texts. */
export function quotedList(values: readonly string[]): string {
  return `[${values.map((each) => JSON.stringify(each)).join(' ')}]`
}
