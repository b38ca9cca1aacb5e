import type { ApiObject, ResourceDefinition } from '@strata/api'
import { addressOf, type ResourceAddress } from './address.ts'
import type { ConnectionOptions } from './connection.ts'
import { createResourceClient, type ResourceClient } from './resource-client.ts'

export interface Client {
  /** By address, for kinds that are known only by name. */
  resource<T extends ApiObject = ApiObject>(address: ResourceAddress): ResourceClient<T>
  /** A kind we know, in one of its versions. `T` is its hub; name another type where the version differs. */
  resource<T extends ApiObject>(definition: ResourceDefinition<T>, versionName: string): ResourceClient<T>
}

export function createClient(connection: ConnectionOptions): Client {
  return {
    resource: <T extends ApiObject>(
      where: ResourceAddress | ResourceDefinition<T>,
      versionName?: string,
    ): ResourceClient<T> =>
      createResourceClient<T>(
        connection,
        'versions' in where ? addressOf(where, versionName ?? where.preferredStorageVersion) : where,
      ),
  }
}
