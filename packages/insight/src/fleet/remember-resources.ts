import type { StorageAgreement } from '@strata/api'
import { describeResource, type ResourceStatus } from './resource-status.ts'
import type { ServerStatus } from './server-status.ts'

/**
 * `describeResource` for a program that describes the same fleet again and again: a record that has not changed gets the same
 * object as before, unless something about the servers has changed beside the time. With 500 resources and 9 servers, one that
 * is renewed would otherwise cost as much as all of them.
 */
export function rememberResources(): typeof describeResource {
  const known = new WeakMap<StorageAgreement, { readonly among: string; readonly status: ResourceStatus }>()
  const keys = new WeakMap<readonly ServerStatus[], string>()
  const keyOf = (servers: readonly ServerStatus[]): string => {
    const key = keys.get(servers) ?? JSON.stringify(servers.map(withoutTime))
    keys.set(servers, key)
    return key
  }
  return (record, servers) => {
    const among = keyOf(servers)
    const before = known.get(record)
    if (before?.among === among) return before.status
    const status = describeResource(record, servers)
    known.set(record, { among, status })
    return status
  }
}

/** No text about a resource has an age of a server in it. */
const withoutTime = ({ renewed: _, silentSeconds: __, ...server }: ServerStatus): unknown => server
