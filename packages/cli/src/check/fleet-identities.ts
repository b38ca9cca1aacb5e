import { identityLabel, identityLabelValue, identityNamespace, type Lease, leases } from '@strata/api'
import { type Client, isForbidden } from '@strata/client'

/** The identity Leases of the fleet. Without permission to list them: none, and the user has to declare more. */
export async function observeIdentities(client: Client, signal: AbortSignal): Promise<readonly Lease[]> {
  const labelSelector = `${identityLabel}=${identityLabelValue}`
  try {
    const options = { namespace: identityNamespace, labelSelector }
    return (await client.resource(leases, 'v1').list(options, signal)).items
  } catch (error) {
    if (isForbidden(error)) return []
    throw error
  }
}
