import type { Namespace, ServiceAccount } from '@strata/api'

/** Every program in a namespace can be somebody, before anyone has thought about who. */
export const accountName = 'default'

export type AccountDecision = { readonly do: 'nothing' | 'create' }

/** A namespace has its account while it lives. What is in the account is its users' business. */
export function decideAccount(
  namespace: Namespace | undefined,
  account: ServiceAccount | undefined,
): AccountDecision {
  const isAlive = namespace?.metadata.deletionTimestamp === undefined && namespace?.status?.phase === 'Active'
  return { do: isAlive && !account ? 'create' : 'nothing' }
}
