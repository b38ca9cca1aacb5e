import { agreementName, type GroupResource, type StorageAgreement, storageAgreements } from '@strata/api'
import { addressOf, type Client, type DiscoveredResource, isNotFoundOrForbidden } from '@strata/client'
import { findOrigin } from '@strata/controllers'

/**
 * Reads a full name, `lamps.light.example.dev`, also if the resource is not served. Only discovery knows short names and
 * kinds.
 */
export function parseFullName(name: string): GroupResource | undefined {
  const dot = name.indexOf('.')
  const [resource, group] = [name.slice(0, dot), name.slice(dot + 1)]
  return dot > 0 && group.includes('.') ? { group, resource } : undefined
}

/**
 * A resource whose CRD is deleted, and of which something may be stored: its agreement record still names it. By its full name,
 * or by the name of the record.
 */
export async function observeRecorded(
  client: Client,
  name: string,
  discovered: readonly DiscoveredResource[],
  signal: AbortSignal,
): Promise<DiscoveredResource | undefined> {
  const parsed = parseFullName(name)
  if (!parsed) return undefined
  const origin = findOrigin(parsed, discovered)
  const [address = addressOf(storageAgreements, 'v1alpha1')] = origin.kind === 'origin' ? origin.records : []
  for (const recordName of [agreementName(parsed), name]) {
    try {
      const { spec } = await client.resource<StorageAgreement>(address).get({ name: recordName }, signal)
      // No server serves it, so that it can be neither listed nor written.
      return { ...spec, kind: '', versionName: '', namespaced: false, verbs: [] }
    } catch (error) {
      // A user who may not read the record gets the error that the name is not served.
      if (!isNotFoundOrForbidden(error)) throw error
    }
  }
  return undefined
}
