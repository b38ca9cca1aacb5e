import { type AgreementEntry, type AgreementStatus, opensKey, persistedKeysOf, unknownKey } from '@strata/api'
import type { KeysOfResource } from './server-keys.ts'

export interface WriteKeyFacts {
  readonly keys: KeysOfResource
  /** The process that decides; its own entry is not among the others. */
  readonly process: string
  readonly serverID: string
  /** All entries that stand in the record. */
  readonly entries: readonly AgreementEntry[]
  readonly previous: Pick<AgreementStatus, 'persistedKeys' | 'encodings'> | undefined
  /** Everyone who may read or write has an entry: every live server, as many as are expected, and nobody unseen. */
  readonly isEveryoneHeard: boolean
}

export interface WriteKeyDecision {
  readonly writeKey: string
  readonly readableKeys: readonly string[]
  /** What is preferred, while something else is written: people have to be told that their rotation is not done. */
  readonly wantedKey?: string
  /** Why nothing may be written here, for people; undefined if it may. */
  readonly keyProblem?: string
}

/**
 * Which key a server writes a resource under (rule 17), decided in the commit that stores its entry. What it prefers, but
 * only when every live server reads that: until then what it or the others write under already. Otherwise: the first of
 * three servers is given a new key and writes with it, and what it writes is lost to the clients of the other two.
 *
 * A server that lacks a key under which something may be stored writes nothing, and says so: it could not even read what it
 * is asked to change.
 */
export function decideWriteKey(facts: WriteKeyFacts): WriteKeyDecision {
  const { keys, process, serverID, entries, isEveryoneHeard } = facts
  const others = entries.filter((each) => each.serverID !== serverID)
  const own = entries.find((each) => each.process === process)
  const persisted = persistedKeysOf(facts.previous).filter((each) => each !== unknownKey)
  // Who refuses writes names a key too, and writes nothing under it.
  const written = others.filter(({ refusesWrites }) => !refusesWrites).map(({ writeKey }) => writeKey)
  const inUse = [...new Set([...written, ...persisted])]
  const kept = keys.retired.filter((each) => inUse.some((used) => opensKey([each], used)))
  const readableKeys = [...keys.readable, ...kept]
  const missing = inUse.filter((each) => !opensKey(readableKeys, each)).sort()
  const isRead = (key: string): boolean => others.every((each) => each.readableKeys.includes(key))
  const isWritable = (key: string | undefined): key is string =>
    key !== undefined && keys.writable.includes(key)

  const isFirst = others.length === 0 && persisted.length === 0
  const isPromoted = isWritable(keys.preferred) && (isFirst || (isEveryoneHeard && isRead(keys.preferred)))
  // Only what is being written, or was last: what a KMS that is down would seal is not stored as it is instead.
  const last = (facts.previous?.encodings ?? []).map((each) => each.split(' ')[1])
  const standing = [own?.writeKey, ...written, ...last]
  // Who has come since and does not read it refuses by itself: whoever writes already goes on.
  const usable = standing.filter(isWritable)
  const writeKey = isPromoted ? keys.preferred : (usable.find(isRead) ?? usable[0])
  const named = { writeKey: writeKey ?? keys.preferred ?? readableKeys[0] ?? 'none', readableKeys }
  if (missing.length > 0) return { ...named, keyProblem: lacks(missing) }
  if (writeKey !== undefined) {
    const isWaiting = keys.preferred !== undefined && keys.preferred !== writeKey
    return isWaiting ? { ...named, wantedKey: keys.preferred } : named
  }
  if (keys.preferred === undefined) {
    return { ...named, keyProblem: 'the KMS that it would write with has not answered yet' }
  }
  return { ...named, keyProblem: unread(keys.preferred, others) }
}

function lacks(missing: readonly string[]): string {
  const advice =
    missing.length === 1 && missing[0] === 'identity'
      ? 'some of it may not be encrypted; add the provider identity as the last one'
      : 'add them to --encryption-provider-config, behind the key to write with'
  return `what is stored may be under ${missing.join(', ')}, which this server does not have; ${advice}`
}

function unread(preferred: string, others: readonly AgreementEntry[]): string {
  const who = others
    .filter(({ readableKeys }) => !readableKeys.includes(preferred))
    .map(({ serverID }) => serverID)
  return `it could write under ${preferred} only, which ${who.join(', ')} cannot read; add that key there, or here one that they read`
}
