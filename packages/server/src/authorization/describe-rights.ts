import { goQuoted, type PolicyRule } from '@strata/api'

/** How many characters of missing rights are listed. The default roles all stay far below it. */
const longestText = 64 * 1024

/** Parts of the same resource in one line, sorted, in upstream's notation; '' if there are none. */
export function describeRights(parts: Iterable<PolicyRule>): string {
  const whole: PolicyRule[] = []
  const byResource = new Map<string, PolicyRule & { readonly verbs: string[] }>()
  let length = 0
  let isCut = false
  for (const part of parts) {
    isCut = length > longestText
    if (isCut) break
    length += describeRule(part).length
    if (part.nonResourceURLs) {
      whole.push(part)
      continue
    }
    const key = JSON.stringify([part.apiGroups, part.resources, part.resourceNames])
    const before = byResource.get(key)
    if (before) before.verbs.push(...(part.verbs ?? []))
    else byResource.set(key, { ...part, verbs: [...(part.verbs ?? [])] })
  }
  const texts = [...whole, ...byResource.values()].map(describeRule)
  return [...[...new Set(texts)].sort(), ...(isCut ? ['and more'] : [])].join('\n')
}

function describeRule(rule: PolicyRule): string {
  const fields: ReadonlyArray<[label: string, values: readonly string[] | undefined]> = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ]
  const shown = fields.flatMap(([label, values]) => (values?.length ? [`${label}:${goQuoted(values)}`] : []))
  return `{${shown.join(', ')}}`
}
