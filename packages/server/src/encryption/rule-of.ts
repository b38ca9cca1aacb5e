import type { GroupResource } from '@strata/api'
import { parseGroupResource } from './check-resources.ts'
import type { EncryptionConfiguration, ProviderConfiguration } from './configuration.ts'

const plain: readonly ProviderConfiguration[] = [{ kind: 'identity' }]

/**
 * The providers of one resource: of its own name, else of its group, else of everything; each may stand in several rules,
 * whose providers then follow each other. What no rule names is stored as it is.
 */
export function providersOf(
  { rules }: EncryptionConfiguration,
  { group, resource }: GroupResource,
): readonly ProviderConfiguration[] {
  const wanted: readonly GroupResource[] = [
    { group, resource },
    { group, resource: '*' },
    { group: '*', resource: '*' },
  ]
  for (const each of wanted) {
    const found = rules.filter(({ resources }) =>
      resources
        .map(parseGroupResource)
        .some((named) => named.group === each.group && named.resource === each.resource),
    )
    if (found.length > 0) return found.flatMap(({ providers }) => providers)
  }
  return plain
}
