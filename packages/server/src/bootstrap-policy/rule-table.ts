import type { PolicyRule } from '@strata/api'

/** Rules in short form: verbs, groups (`core` is ''), resources and optional names, separated by spaces; or verbs and paths. */
export type ShortRule =
  | readonly [verbs: string, urls: string]
  | readonly [verbs: string, groups: string, resources: string, names?: string]

/** By the name of the role. */
export type RuleTable = Readonly<Record<string, readonly ShortRule[]>>

export function ruleOf(short: ShortRule): PolicyRule {
  const [verbs, second, resources, names] = short
  if (resources === undefined) return { verbs: words(verbs), nonResourceURLs: words(second) }
  return {
    verbs: words(verbs),
    apiGroups: words(second).map((group) => (group === 'core' ? '' : group)),
    resources: words(resources),
    ...(names === undefined ? {} : { resourceNames: words(names) }),
  }
}

const words = (text: string): string[] => text.split(' ')
