import {
  type ApiObject,
  agreementName,
  customResourceDefinitions,
  type GroupResource,
  groupResourceText,
  persistedHashesOf,
  type StorageState,
  type StorageVersion,
  storageStateName,
  storageStates,
  storageVersionNameOf,
  storageVersions,
} from '@strata/api'
import { type Client, isNotFoundOrForbidden, type ResourceClient } from '@strata/client'

/** Versions that may be stored, if no server can count the stored objects. */
export interface StoredHints {
  /** From a CRD. */
  readonly storedVersions?: readonly string[] | undefined
  readonly storageVersion?: string | undefined
  /** From a StorageVersion object. */
  readonly commonEncodingVersion?: string | undefined
  /** From a StorageState. */
  readonly persistedHashes?: readonly string[] | undefined
}

/** Each is there or not, and may be seen or not; none of them says what is in the store. */
export async function observeHints(
  client: Client,
  resource: GroupResource,
  signal: AbortSignal,
): Promise<StoredHints> {
  const [definition, storageVersion, state] = await Promise.all([
    resource.group.includes('.')
      ? see(client.resource(customResourceDefinitions, 'v1'), groupResourceText(resource), signal)
      : undefined,
    see(client.resource<StorageVersion>(storageVersions, 'v1alpha1'), agreementName(resource), signal),
    see(client.resource<StorageState>(storageStates, 'v1alpha1'), storageStateName(resource), signal),
  ])
  return {
    storedVersions: definition?.status.storedVersions ?? undefined,
    storageVersion: definition && storageVersionNameOf(definition),
    commonEncodingVersion: storageVersion?.status.commonEncodingVersion || undefined,
    persistedHashes: state && persistedHashesOf(state),
  }
}

async function see<T extends ApiObject>(
  resource: ResourceClient<T>,
  name: string,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    return await resource.get({ name }, signal)
  } catch (error) {
    if (isNotFoundOrForbidden(error)) return undefined
    throw error
  }
}

export function hintsText(hints: StoredHints): string {
  const { storedVersions, storageVersion, commonEncodingVersion, persistedHashes } = hints
  const parts = [
    ...(storedVersions ? [`the CRD lists the stored versions ${storedVersions.join(', ')}`] : []),
    ...(storageVersion === undefined ? [] : [`its storage version is ${storageVersion}`]),
    ...(commonEncodingVersion === undefined ? [] : [`all servers write ${commonEncodingVersion}`]),
    ...(persistedHashes ? [`its StorageState says ${persistedHashes.join(', ')} may be stored`] : []),
  ]
  return parts.length === 0 ? 'no other source says what may be stored' : parts.join('; ')
}
