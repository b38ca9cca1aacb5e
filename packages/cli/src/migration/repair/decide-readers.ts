import type { AgreementEntry } from '@strata/api'
import { counted } from '@strata/insight'
import type { ApiServers } from '../../connection/api-servers/api-servers.ts'
import type { ReadValue } from '../../stored/read-value.ts'

/** What one API server says of an object. */
export interface ServerSaid {
  readonly name: string
  /** In every version that is served: it cannot read it, it reads it, or it finds none. */
  readonly said: 'unreadable' | 'readable' | 'absent' | 'unknown'
  readonly message: string
}

export interface Readers extends Pick<ApiServers, 'kind' | 'unasked' | 'leases'> {
  readonly servers: readonly ServerSaid[]
}

const gate = '--feature-gates=AllowUnsafeMalformedObjectDeletion=true'
const nameThem = 'name each API server with --server'

/** Why it is not known that no server can read an object; undefined if every server was asked, and none can. */
export function whyReadable({ kind, servers, unasked, leases = 0 }: Readers): string | undefined {
  for (const { name, said, message } of servers) {
    if (said === 'readable')
      return `the API server ${name} can decode it ${message}: give the others what it has (its keys, its release), or write the object there`
    if (said === 'absent') return `the API server ${name} does not find it: run it again`
    if (said === 'unknown')
      return `the API server ${name} did not say whether it can decode it (without ${gate} it says so of some bytes only): ${message}`
  }
  if (servers.length === 0) return `no API server was asked whether it can decode it: ${nameThem}`
  if (unasked.length > 0)
    return `an API server could not be asked whether it can decode it: ${nameThem} (${unasked.join('; ')})`
  if (kind === 'samples' && leases > 1)
    return `${leases} API servers have a Lease, and they cannot be asked one by one whether they can decode it: ${nameThem}`
  if (leases > servers.length)
    return `${leases} API servers have a Lease in kube-system, and only ${servers.length} could be asked whether they can decode it: ${nameThem}; the Lease of one that is gone expires, or can be deleted`
  return undefined
}

/** Which servers were asked, for the result. */
export function askedText({ kind, servers }: Readers): string {
  if (kind === 'samples')
    return `asked through ${counted(servers.length, 'connection')} to one address; which API servers answered is not known`
  return `${counted(servers.length, 'API server')} cannot decode it: ${servers.map(({ name }) => name).join(', ')}`
}

type EntryFields = Pick<AgreementEntry, 'serverID' | 'readableKeys' | 'decodableVersions'>

/**
 * The same from the record of Strata's servers, which has those that were not asked. If all of them have the key and the version,
 * and no server that was asked can read the bytes, then the bytes are damaged.
 */
export function whyReadableByRecord(entries: readonly EntryFields[], read: ReadValue): string | undefined {
  const reads = readsOf(read)
  if (reads === undefined) return undefined
  const can = entries.filter(reads)
  if (can.length === 0 || can.length === entries.length) return undefined
  const names = can.map(({ serverID }) => serverID).join(', ')
  return `by the record, ${names} can read ${read.key ?? read.apiVersion}: give the other servers what is missing`
}

function readsOf({ form, key, apiVersion }: ReadValue): ((entry: EntryFields) => boolean) | undefined {
  if (form === 'encrypted') {
    const [, provider, name] = /^(\w+):v\d+:(.*)$/.exec(key ?? '') ?? []
    const start = `${provider}:${encodeURIComponent(name ?? '')}:`
    return ({ readableKeys }) => readableKeys.some((each) => each.startsWith(start))
  }
  if (apiVersion === undefined) return undefined
  const bare = apiVersion.slice(apiVersion.indexOf('/') + 1)
  return ({ decodableVersions }) => decodableVersions.some((each) => each === apiVersion || each === bare)
}
