import type { GrantedRight } from './granted-right.ts'

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

/** A rule of a ClusterRole about paths that are no resources. */
export interface UrlRule {
  readonly nonResourceURLs: readonly string[]
  readonly verbs: readonly string[]
}

const verbOrder = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']

/** As few rules as grant these rights and no others. The rights must be in one namespace, or in all. */
export function policyRules(rights: readonly GrantedRight[]): readonly (PolicyRule | UrlRule)[] {
  const urls = rights.flatMap(({ url, verb }) =>
    url === undefined ? [] : [{ nonResourceURLs: [url], verbs: [verb] }],
  )
  return [...resourceRules(rights.filter(({ url }) => url === undefined)), ...urls]
}

function resourceRules(rights: readonly GrantedRight[]): readonly PolicyRule[] {
  const single = rights.map(({ verb, group, resource, subresource, name }) => ({
    apiGroups: [group],
    resources: [subresource === undefined ? resource : `${resource}/${subresource}`],
    ...(name === undefined ? {} : { resourceNames: [name] }),
    verbs: [verb],
  }))
  const fields = ['verbs', 'resources', 'resourceNames', 'apiGroups'] as const
  return fields.reduce<readonly PolicyRule[]>(mergeBy, single).map(sorted)
}

/** Joins rules that differ in this field only. */
function mergeBy(rules: readonly PolicyRule[], field: keyof PolicyRule): readonly PolicyRule[] {
  const alike = Map.groupBy(rules, (rule) => JSON.stringify([{ ...rule, [field]: undefined }, field in rule]))
  return [...alike.values()].flatMap(([first, ...others]) => {
    if (first === undefined || first[field] === undefined) return [first, ...others].filter((each) => !!each)
    const all = [first, ...others].flatMap((each) => each[field] ?? [])
    return [{ ...first, [field]: [...new Set(all)] }]
  })
}

const sorted = ({ apiGroups, resources, resourceNames, verbs }: PolicyRule): PolicyRule => ({
  ...{ apiGroups: apiGroups.toSorted(), resources: resources.toSorted() },
  ...(resourceNames === undefined ? {} : { resourceNames: resourceNames.toSorted() }),
  verbs: verbs.toSorted((a, b) => verbOrder.indexOf(a) - verbOrder.indexOf(b)),
})
