import {
  type AgreementStatus,
  lacksKeyPhrase,
  nameSome,
  opensKey,
  persistedKeysOf,
  plainKey,
  unknownKey,
} from '@strata/api'
import { isProcessOf } from '../identity/server-id.ts'
import type { KeysOfResource } from './server-keys.ts'
import type { StatedKeys } from './stated-keys.ts'
import type { UnregisteredServer } from './unregistered-servers.ts'

export interface WriteKeyFacts {
  readonly keys: KeysOfResource
  /** The process that decides; its own entry is not among the others. */
  readonly process: string
  /** Every process that counts, the deciding one included, by its entry or its statement (`stated-keys.ts`). */
  readonly entries: readonly StatedKeys[]
  readonly previous: Pick<AgreementStatus, 'epoch' | 'encodings' | 'persisted'> | undefined
  /** Every server that may read or write has an entry: every live one, as many as are expected, and none is unseen. */
  readonly isFleetComplete: boolean
  /** Live servers without an entry. */
  readonly unregistered: readonly UnregisteredServer[]
  /** The key that this server writes other resources under for which it prefers the same key. */
  readonly elsewhere: string | undefined
  /** Why it is not proven that nothing is stored, for people; undefined if this was not checked. */
  readonly unproven?: string | undefined
}

export interface WriteKeyDecision {
  readonly writeKey: string
  readonly readableKeys: readonly string[]
  /** The preferred key, while the server writes under another one: a rotation is not finished. */
  readonly wantedKey?: string
  /** Why this server may not write, for people; undefined if it may. */
  readonly keyProblem?: string
  /** The problem is a missing key: it goes away if nothing is stored. */
  readonly lacksKeys?: true
  /** Decided on the Leases of servers without an entry: to be committed only while those Leases are unchanged. */
  readonly reliesOnLeases?: true
}

/**
 * Decides the write key of a resource (rule 17): the encryption key that this server writes it under. It is decided in the
 * commit that stores the entry. It is the preferred key once every live server reads it; until then a key that this server or
 * the others already write under. Otherwise: the first of three servers gets a new key and writes with it, and the other two
 * cannot read those objects.
 *
 * A server that lacks a key under which objects may be stored writes nothing: it could not read the object that it changes.
 *
 * This also holds for a new resource, which no server has written yet. Otherwise:
 *
 * 1. A and B have key `one`. The file of A gets `two` in the first place.
 * 2. A client creates a CRD. A registers first, finds no entry and nothing stored, and writes under `two`.
 * 3. B, which lives all the time, cannot read the object.
 *
 * So if no key is in use yet, the first key is one that every live server reads, with an entry or without.
 */
export function decideWriteKey(facts: WriteKeyFacts): WriteKeyDecision {
  const { keys, process, entries, isFleetComplete } = facts
  const others = entries.filter((each) => each.process !== process)
  const own = entries.find((each) => each.process === process)
  const remembered = persistedKeysOf(facts.previous)
  const persisted = remembered.filter((each) => each !== unknownKey)
  // The entry of a server that refuses writes names a key too, but nothing is written under it. Also the own entry: otherwise
  // a server starts with a new key alone and refuses; it is given the old key too, goes on "as before" with the new one,
  // and servers with only the old key cannot read its objects.
  const written = others.filter(({ refusesWrites }) => !refusesWrites).map(({ writeKey }) => writeKey)
  const before = own?.refusesWrites ? undefined : own?.writeKey
  const inUse = [...new Set([...written, ...persisted])]
  // If it is unknown what is stored, it may be under any of the retired keys.
  const isNeeded = (key: string): boolean =>
    remembered.includes(unknownKey) || inUse.some((used) => opensKey([key], used))
  const kept = keys.retired.filter(isNeeded)
  const readableKeys = [...keys.readable, ...kept]
  const missing = inUse.filter((each) => !opensKey(readableKeys, each)).sort()
  const isRead = (key: string): boolean => others.every((each) => each.readableKeys.includes(key))
  // A retired key is forgotten once the entry is stored, unless the entry names it among the readable ones. Otherwise: nothing
  // is stored, A has just dropped `identity`, and B reads `identity` alone; A begins with it, and cannot read what it stores.
  const writable = keys.writable.filter((key) => opensKey(readableKeys, key))
  const isWritable = (key: string | undefined): key is string => key !== undefined && writable.includes(key)

  const isPromoted = isWritable(keys.preferred) && isFleetComplete && isRead(keys.preferred)
  // Only keys in use now or last: while a KMS is down, objects are not stored unencrypted instead.
  const last = (facts.previous?.encodings ?? []).map((each) => each.split(' ')[1])
  const standing = [before, ...written, ...last]
  // Servers that write already go on. A server that came later and does not read the key refuses by itself.
  const usable = standing.filter(isWritable)
  const standingKey = isPromoted ? keys.preferred : (usable.find(isRead) ?? usable[0])
  const writeKey = standingKey ?? firstKey(facts, writable, others)
  const named = {
    ...{ writeKey: writeKey ?? keys.preferred ?? readableKeys[0] ?? 'none', readableKeys },
    ...(standingKey === undefined ? { reliesOnLeases: true as const } : {}),
  }
  if (missing.length > 0) return { ...named, keyProblem: lacks(missing, facts.unproven), lacksKeys: true }
  if (writeKey !== undefined) {
    const isWaiting = keys.preferred !== undefined && keys.preferred !== writeKey
    return isWaiting ? { ...named, wantedKey: keys.preferred } : named
  }
  if (keys.preferred === undefined) {
    return { ...named, keyProblem: 'the KMS that it would write with has not answered yet' }
  }
  return { ...named, keyProblem: unread(keys.preferred, facts, others) }
}

/**
 * The first key of a resource: a key that every server reads, by its entry or, without one, by its Lease. So a fleet that
 * starts on an empty store begins at once, and a killed or slow server blocks no other one. The key of other resources comes
 * first: in the middle of a rotation that is the old key, which servers that are expected later read as well.
 *
 * A server that states nothing, such as another program with a Lease, is assumed to read the key of other resources, and
 * unencrypted objects.
 */
function firstKey(
  { keys: { preferred }, unregistered, elsewhere }: WriteKeyFacts,
  writable: readonly string[],
  others: readonly StatedKeys[],
): string | undefined {
  if (preferred === undefined) return undefined
  const isRead = (key: string): boolean =>
    others.every(({ readableKeys }) => readableKeys.includes(key)) &&
    unregistered.every(({ reads }) => (reads ? reads.includes(key) : key === elsewhere || key === plainKey))
  // Even if every server can read unencrypted objects, they are stored so only if a server would write so.
  const would = [
    preferred,
    elsewhere,
    ...others.map((each) => each.writeKey),
    ...unregistered.map(({ writes }) => writes),
  ]
  const isMeant = (key: string): boolean => key !== plainKey || would.includes(plainKey)
  const wanted = elsewhere === undefined ? writable : [elsewhere, ...writable]
  return wanted.find((key) => writable.includes(key) && isMeant(key) && isRead(key))
}

function lacks(missing: readonly string[], unproven: string | undefined): string {
  const advice =
    missing.length === 1 && missing[0] === 'identity'
      ? 'some of it may not be encrypted; add the provider identity as the last one'
      : `add ${missing.length === 1 ? 'it' : 'them'} to --encryption-provider-config, behind the key to write with`
  const because = unproven === undefined ? '' : ` (${unproven})`
  return `what is stored may be under ${missing.join(', ')}, ${lacksKeyPhrase}${because}; ${advice}`
}

function unread(
  preferred: string,
  { process: self, unregistered }: WriteKeyFacts,
  others: readonly StatedKeys[],
): string {
  const who = [
    // A second process under the own server ID is named by its process: the server itself can read the key.
    ...others.map(({ serverID, process, readableKeys }) => ({
      serverID: isProcessOf(serverID, self) ? process : serverID,
      reads: readableKeys,
    })),
    ...unregistered.map(({ serverID, reads = [preferred] }) => ({ serverID, reads })),
  ].flatMap(({ serverID, reads }) => (reads.includes(preferred) ? [] : [serverID]))
  if (who.length === 0) {
    const silent = unregistered.filter(({ reads }) => !reads)
    const names = silent.map(({ serverID }) => serverID)
    return `it is unknown whether ${nameSome(names)} can read ${preferred}: it is live and does not state its keys; ${remedyFor(silent)}`
  }
  return `this server can write under ${preferred} only, which ${who.join(', ')} cannot read; add that key there, or add a key here that they read`
}

/** The name of a server without a Lease does not expire: it stays until it is removed. */
function remedyFor(silent: readonly UnregisteredServer[]): string {
  const hasLease = silent.some(({ guard }) => guard)
  const hasNone = silent.some(({ guard }) => !guard)
  return [
    ...(hasLease ? ['stop it, and if it was killed, wait until its Lease has expired'] : []),
    ...(hasNone
      ? [
          'a server without an identity Lease of an earlier release does not state its keys: stop it, or start this release there; if it was killed, remove its name from status.unseenProcesses of the StorageAgreement',
        ]
      : []),
  ].join('; ')
}
