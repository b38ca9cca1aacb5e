import { customResourceDefinitions, type GroupResource } from '@strata/api'
import { type Client, isNotFoundOrForbidden } from '@strata/client'

/** CRDs are large, and all of them are listed. */
const pageSize = 50

/** The resources whose CRD says that a migration runs. */
export async function resourcesReportedRunning(
  client: Client,
  signal: AbortSignal,
): Promise<readonly GroupResource[]> {
  try {
    const { items } = await client.resource(customResourceDefinitions, 'v1').list({ pageSize }, signal)
    return items.flatMap(({ spec, status }) => {
      const condition = status?.conditions?.find(({ type }) => type === 'StorageMigrating')
      const saysRunning = condition?.status === 'True' && condition.reason === 'MigrationRunning'
      return saysRunning ? [{ group: spec.group, resource: spec.names.plural }] : []
    })
  } catch (error) {
    // Without CRDs, or the right to list them, nothing can be corrected.
    if (isNotFoundOrForbidden(error)) return []
    throw error
  }
}
