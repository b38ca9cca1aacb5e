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
  /** Every process that counts, its own included: by its entry or its statement (`stated-keys.ts`). */
  readonly entries: readonly StatedKeys[]
  readonly previous: Pick<AgreementStatus, 'epoch' | 'encodings' | 'persisted'> | undefined
  /** Everyone who may read or write has an entry: every live server, as many as are expected, and nobody unseen. */
  readonly isFleetComplete: boolean
  /** Who is alive and has no entry. */
  readonly unregistered: readonly UnregisteredServer[]
  /** What this server writes under elsewhere, where it would rather write under the same key as here. */
  readonly elsewhere: string | undefined
  /** Why it is not proven that nothing is stored, for people; undefined where nobody has looked. */
  readonly unproven?: string | undefined
}

export interface WriteKeyDecision {
  readonly writeKey: string
  readonly readableKeys: readonly string[]
  /** What is preferred, while something else is written: people have to be told that their rotation is not done. */
  readonly wantedKey?: string
  /** Why nothing may be written here, for people; undefined if it may. */
  readonly keyProblem?: string
  /** It is because of keys that this server was not given: to look whether anything is stored may help. */
  readonly lacksKeys?: true
  /** Decided on what those say in their Leases who have no entry: to be stored only while they still say so. */
  readonly reliesOnLeases?: true
}

/**
 * Which key a server writes a resource under (rule 17), decided in the commit that stores its entry. What it prefers, but
 * only when every live server reads that: until then what it or the others write under already. Otherwise: the first of
 * three servers is given a new key and writes with it, and what it writes is lost to the clients of the other two.
 *
 * A server that lacks a key under which something may be stored writes nothing, and says so: it could not even read what it
 * is asked to change.
 *
 * That nobody has written yet is no exception. Otherwise: A and B have `one`, A's file is given `two` in the first place, and
 * somebody defines a resource; A is the first to register it, finds no entry and nothing stored, and writes under `two`;
 * B, alive all the time, answers for what it cannot open. So where no key is in use it is one that everyone reads who is
 * alive, with an entry or without.
 */
export function decideWriteKey(facts: WriteKeyFacts): WriteKeyDecision {
  const { keys, process, entries, isFleetComplete } = facts
  const others = entries.filter((each) => each.process !== process)
  const own = entries.find((each) => each.process === process)
  const remembered = persistedKeysOf(facts.previous)
  const persisted = remembered.filter((each) => each !== unknownKey)
  // Who refuses writes names a key too, and writes nothing under it. That goes for this server as well. Otherwise: it is
  // started with a new key alone and refuses, naming that; it is given the old one too, goes on "as before" with the new
  // one, and what it writes is lost to everyone who has only the old one.
  const written = others.filter(({ refusesWrites }) => !refusesWrites).map(({ writeKey }) => writeKey)
  const before = own?.refusesWrites ? undefined : own?.writeKey
  const inUse = [...new Set([...written, ...persisted])]
  // Where nobody knows what is stored, it may be under any of them.
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
  // Only what is being written, or was last: what a KMS that is down would seal is not stored as it is instead.
  const last = (facts.previous?.encodings ?? []).map((each) => each.split(' ')[1])
  const standing = [before, ...written, ...last]
  // Who has come since and does not read it refuses by itself: whoever writes already goes on.
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
 * What a resource is written under of which no key is in use yet: a key that everyone reads, by their entries or, while they
 * have none, by their Leases. A fleet that starts on an empty store begins so at once, and who is killed or slow keeps nobody
 * from writing. What is written elsewhere comes first: in the middle of a rotation that is the old key, which those read as
 * well who are only expected to be there.
 *
 * Of whoever says nothing, such as another program with a Lease of its own, only that it has lived with what is written
 * elsewhere is known; that it reads what is not encrypted is taken for granted.
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
  // That all could read it is no reason to store as it is what everyone was told to encrypt.
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

/** A server without a Lease is waited for by nobody: its name stays until somebody removes it. */
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
