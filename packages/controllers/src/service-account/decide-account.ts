import type { Namespace, ServiceAccount } from '@strata/api'

/** The identity of programs that name no service account. */
export const accountName = 'default'

export type AccountDecision = { readonly do: 'nothing' | 'create' }

/** Every active namespace has this account. Its content belongs to the users. */
export function decideAccount(
  namespace: Namespace | undefined,
  account: ServiceAccount | undefined,
): AccountDecision {
  const isActive =
    namespace?.metadata.deletionTimestamp === undefined && namespace?.status?.phase === 'Active'
  return { do: isActive && !account ? 'create' : 'nothing' }
}
