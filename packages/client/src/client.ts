import type { ApiObject, ResourceDefinition } from '@strata/api'
import { addressOf, type ResourceAddress } from './address.ts'
import { type ConnectionOptions, requestText } from './connection.ts'
import { type ApiResource, apiResources, type Discovery, discover, discoverGroup } from './discovery.ts'
import { createResourceClient, metadataOnly, type ResourceClient } from './resource-client.ts'
import { type ServerVersion, serverVersion } from './server-version.ts'

export interface Client {
  /** By address, for kinds that are only known by name. */
  resource<T extends ApiObject = ApiObject>(address: ResourceAddress): ResourceClient<T>
  /** A known kind in one of its versions. `T` is its hub; name another type where the version differs. */
  resource<T extends ApiObject>(definition: ResourceDefinition<T>, versionName: string): ResourceClient<T>
  /** The same objects with their metadata only. They can be read, patched and deleted, but not written back. */
  metadata(address: ResourceAddress): ResourceClient
  /** All resources that the server serves. */
  discover(signal: AbortSignal): Promise<Discovery>
  /** The resources of one group, as its servers list them now. Empty if the group is not served. */
  discoverGroup(group: string, signal: AbortSignal): Promise<Discovery>
  /** The discovery document of one group version. Only this document has the storage version hashes. */
  apiResources(
    groupVersion: Pick<ResourceAddress, 'group' | 'versionName'>,
    signal: AbortSignal,
  ): Promise<readonly ApiResource[]>
  /** What the server that answers says of itself in `/metrics`, as text. */
  metrics(signal: AbortSignal): Promise<string>
  /** The release of the server that answers. */
  version(signal: AbortSignal): Promise<ServerVersion>
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
    discoverGroup: (group, signal) => discoverGroup(connection, group, signal),
    apiResources: (groupVersion, signal) => apiResources(connection, groupVersion, signal),
    metrics: (signal) => requestText(connection, { method: 'GET', path: '/metrics', accept: '*/*' }, signal),
    version: (signal) => serverVersion(connection, signal),
  }
}
