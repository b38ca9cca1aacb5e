import { type GroupResource, rulesFor } from '@strata/api'
import type { EncryptionConfiguration, ProviderConfiguration } from './configuration.ts'

const plain: readonly ProviderConfiguration[] = [{ kind: 'identity' }]

/**
 * The providers of one resource: by its own name, else by its group, else by the wildcard; each may be in several rules, whose
 * providers are then appended. A resource without a rule is stored in clear text.
 */
export function providersOf(
  { rules }: EncryptionConfiguration,
  resource: GroupResource,
): readonly ProviderConfiguration[] {
  const found = rulesFor(rules, resource)
  return found.length === 0 ? plain : found.flatMap(({ providers }) => providers)
}
