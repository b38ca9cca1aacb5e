import { hashedName } from './hashed-name.ts'

/** On a mirrored Lease: the store and fleet that its server belongs to, by the uid of their namespace kube-system. */
export const originLabel = 'strata.dev/origin'
/** On a mirrored Lease: the ID of the server in its own fleet. */
export const originServerAnnotation = 'strata.dev/origin-server'

const prefix = 'aggregated-apiserver-'
/** 40 bits for the origin: an aggregator has a few of them. 90 bits are left for the server. */
const originLength = 8

/**
 * The name of an aggregated server in its aggregator: of its mirrored Lease, and in the entries of StorageVersions. The first
 * characters are those of the origin. So each origin knows its own entries, also of servers that it does not remember.
 */
export function mirroredServerId(origin: string, serverID: string): string {
  return `${originPart(origin)}${hashedName(origin, serverID).slice(originLength)}`
}

/** Whether an entry of a StorageVersion was mirrored from this origin. */
export function isServerOfOrigin(apiServerID: string, origin: string): boolean {
  return apiServerID.startsWith(originPart(origin))
}

function originPart(origin: string): string {
  return `${prefix}${hashedName(origin).slice(0, originLength)}`
}
