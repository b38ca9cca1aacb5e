import type { StorageAgreement } from '@strata/api'
import type { History } from '../history.ts'
import { fencedPrefixes } from '../keys.ts'
import { FirstUses } from './first-uses.ts'
import { type AgreementState, replay } from './records.ts'
import { keysMayBeStored, opens, unknown } from './stored-json.ts'
import type { Checker } from './violation.ts'

/** One object, and what its bytes are really under. */
interface Sealed {
  readonly under: string
  readonly writer: string
}

/** After every commit that could matter: the resources whose objects or record it has changed, with all their objects. */
function* resourcesChanged(
  { commits, ...rest }: History,
  uses?: FirstUses,
): Iterable<{
  readonly atMs: number
  readonly writer: string
  readonly name: string
  readonly objects: ReadonlyMap<string, Sealed>
  readonly state: AgreementState
  /** The record before. */
  readonly before: StorageAgreement | undefined
}> {
  const stored = new Map([...fencedPrefixes.keys()].map((name) => [name, new Map<string, Sealed>()]))
  for (const { commit, state, written, apply } of replay({ commits, ...rest })) {
    const { leaseTurns } = state
    apply()
    const { atMs, writer } = commit
    if (state.leaseTurns !== leaseTurns) uses?.observeLeases(state, atMs)
    for (const [name, prefix] of fencedPrefixes) {
      const objects = stored.get(name) ?? new Map<string, Sealed>()
      const changed = commit.changes.filter(({ key }) => key.startsWith(prefix))
      for (const change of changed) {
        if (change.kind === 'put') objects.set(change.key, { under: change.under ?? 'identity', writer })
        else objects.delete(change.key)
      }
      if (changed.length === 0 && !written.has(name)) continue
      const before = written.has(name) ? written.get(name) : state.records.get(name)
      yield { atMs, writer, name, objects, state, before }
    }
  }
}

/**
 * After every commit, the key that each object is really under is among those that the record says something may be under, or
 * the record says that it is unknown. So nothing is under a key in the moment in which the record forgets it.
 */
export const persistedKeys: Checker = {
  name: 'persisted-keys',
  *check(history) {
    if (!history.isEncrypted) return
    for (const { atMs, writer, name, objects, state } of resourcesChanged(history)) {
      const record = state.records.get(name)
      const may = record ? keysMayBeStored(record.status) : [unknown]
      if (may.includes(unknown)) continue
      for (const [key, { under }] of objects) {
        if (may.includes(under)) continue
        const text = `${key} is under ${under}, and after ${writer} the record says that only ${may.join(', ')} may be`
        yield { atMs, text }
      }
    }
  },
}

/**
 * After every commit, each server that a record has among those who write opens everything that is stored; and none of them
 * is ever shown bytes that it cannot open. When a key comes into use, everyone reads it who is there and can be heard; and
 * those of them go on to, also if they refuse to write by then: else who is kept from reading by a key that came too early
 * would be excused by it. Nothing is promised about objects of a server that does not record.
 */
export const readableKeys: Checker = {
  name: 'readable-keys',
  *check(history) {
    if (!history.isEncrypted) return
    const unrecorded = new Set(
      history.runs.filter(({ part }) => part.records === false).map(({ writer }) => writer),
    )
    const uses = new FirstUses(history)
    for (const { atMs, writer, name, objects, state, before } of resourcesChanged(history, uses)) {
      for (const { key, process } of uses.observeRecord(name, before, state, atMs)) {
        yield {
          atMs,
          text: `${name} is written under ${key} after ${writer}, and ${process} does not read it`,
        }
      }
      for (const entry of state.records.get(name)?.status.servers ?? []) {
        if (uses.isOut(entry, state.leases, atMs)) continue
        for (const [key, sealed] of objects) {
          if (entry.refusesWrites && !uses.wasHeard(name, sealed.under, entry.process)) continue
          if (unrecorded.has(sealed.writer) || opens(entry.readableKeys, sealed.under)) continue
          const text = `${key} is under ${sealed.under}, which ${entry.process} does not read, after ${writer}`
          yield { atMs, text }
        }
      }
    }
    yield* shownInVain(history, unrecorded)
  },
}

/**
 * A server that starts after a KMS key came into use has never seen that key. It says that it opens whatever its KMS opens,
 * and only its plugin knows whether that is so yet.
 */
function isTrustedToKms(readableKeys: readonly string[], under: string): boolean {
  return !readableKeys.includes(under) && opens(readableKeys, under)
}

function* shownInVain(history: History, unrecorded: ReadonlySet<string>) {
  const left = [...history.unopened]
  const runs = new Map(history.runs.map(({ writer, process }) => [writer, process]))
  const last = new Map<string, Sealed>()
  const uses = new FirstUses(history)
  const judge = (beforeMs: number, { records }: AgreementState) =>
    left.splice(0, countBefore(left, beforeMs)).flatMap(({ atMs, writer, key }) => {
      const [name = ''] = [...fencedPrefixes].find(([, prefix]) => key.startsWith(prefix)) ?? []
      const entry = records.get(name)?.status.servers.find(({ process }) => process === runs.get(writer))
      const { under, writer: author } = last.get(key) ?? { under: '', writer: '' }
      const wasHeard = entry !== undefined && uses.wasHeard(name, under, entry.process)
      const takesPart = entry && (!entry.refusesWrites || wasHeard)
      const isTrusted = entry !== undefined && !wasHeard && isTrustedToKms(entry.readableKeys, under)
      const isPromised = takesPart && !unrecorded.has(author) && !isTrusted
      return isPromised ? [{ atMs, text: `${writer} was shown ${key} and has no key for it` }] : []
    })
  let end: AgreementState | undefined
  for (const { commit, state, written, apply } of replay(history)) {
    const { atMs, writer, changes } = commit
    const { leaseTurns } = state
    yield* judge(atMs, state)
    apply()
    if (state.leaseTurns !== leaseTurns) uses.observeLeases(state, atMs)
    for (const [name, before] of written) {
      if (fencedPrefixes.has(name)) uses.observeRecord(name, before, state, atMs)
    }
    for (const change of changes) {
      const under = change.kind === 'put' ? (change.under ?? 'identity') : ''
      last.set(change.key, { under, writer })
    }
    end = state
  }
  if (end) yield* judge(Number.POSITIVE_INFINITY, end)
}

function countBefore(all: readonly { readonly atMs: number }[], beforeMs: number): number {
  const index = all.findIndex(({ atMs }) => atMs >= beforeMs)
  return index === -1 ? all.length : index
}

/**
 * A key is removed only when nothing is under it: while a server took over a file that lacks it, there was a moment in which
 * no object was.
 */
export const removedKeys: Checker = {
  name: 'removed-keys',
  *check({ keysDropped }, log) {
    for (const { writer, dropped, startRevision, endRevision, endMs } of keysDropped) {
      const moments = new Set([startRevision])
      for (const versions of log.keys.values()) {
        for (const { revision } of versions) {
          if (revision > startRevision && revision <= endRevision) moments.add(revision)
        }
      }
      const left = [...moments].map((revision) =>
        [...log.keys.keys()].find((key) => opens(dropped, log.at(key, revision)?.object?.under ?? '')),
      )
      const [first] = left
      if (left.includes(undefined)) continue
      yield { atMs: endMs, text: `${writer} has dropped ${dropped.join(', ')}, and ${first} is under it` }
    }
  },
}
