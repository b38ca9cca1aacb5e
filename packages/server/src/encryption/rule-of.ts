import { type GroupResource, rulesFor } from '@strata/api'
import type { EncryptionConfiguration, ProviderConfiguration } from './configuration.ts'

const plain: readonly ProviderConfiguration[] = [{ kind: 'identity' }]

/**
 * The providers of one resource: of its own name, else of its group, else of everything; each may stand in several rules,
 * whose providers then follow each other. What no rule names is stored as it is.
 */
export function providersOf(
  { rules }: EncryptionConfiguration,
  resource: GroupResource,
): readonly ProviderConfiguration[] {
  const found = rulesFor(rules, resource)
  return found.length === 0 ? plain : found.flatMap(({ providers }) => providers)
}
