import type { ApiObject, ResourceDefinition } from '@strata/api'
import { addressOf, type ResourceAddress } from './address.ts'
import type { ConnectionOptions } from './connection.ts'
import { type ApiResource, apiResources, type Discovery, discover } from './discovery.ts'
import { createResourceClient, metadataOnly, type ResourceClient } from './resource-client.ts'

export interface Client {
  /** By address, for kinds that are known only by name. */
  resource<T extends ApiObject = ApiObject>(address: ResourceAddress): ResourceClient<T>
  /** A kind we know, in one of its versions. `T` is its hub; name another type where the version differs. */
  resource<T extends ApiObject>(definition: ResourceDefinition<T>, versionName: string): ResourceClient<T>
  /** The same objects without what is not metadata. To be read, patched and deleted, not to be written back. */
  metadata(address: ResourceAddress): ResourceClient
  /** What the server serves. */
  discover(signal: AbortSignal): Promise<Discovery>
  /** What it says of one group version, with the hashes that only this document has. */
  apiResources(
    groupVersion: Pick<ResourceAddress, 'group' | 'versionName'>,
    signal: AbortSignal,
  ): Promise<readonly ApiResource[]>
}

export function createClient(connection: ConnectionOptions): Client {
  return {
    resource: <T extends ApiObject>(
      where: ResourceAddress | ResourceDefinition<T>,
      versionName = '',
    ): ResourceClient<T> =>
      createResourceClient<T>(connection, 'versions' in where ? addressOf(where, versionName) : where),
    metadata: (address) => createResourceClient(connection, address, metadataOnly),
    discover: (signal) => discover(connection, signal),
    apiResources: (groupVersion, signal) => apiResources(connection, groupVersion, signal),
  }
}
