import type { History } from '../history.ts'
import { isMigrationKey } from '../keys.ts'
import { parseBytes } from './stored-json.ts'
import type { Checker } from './violation.ts'

/** A migration as it stood. */
interface Stood {
  /** Empty if it is not claimed. */
  readonly claim: string
  readonly isEnded: boolean
  readonly atMs: number
}

/** A process that is silent for 20 s, on the fastest clock, counts as dead. */
const silentMs = 19_000

/**
 * A process that writes an unfinished migration has claimed it, and no other process has meanwhile. A process that has lost
 * its claim does not take it back from one that works on it. Otherwise: a leader is frozen, and another one takes its
 * migration over; the first thaws and takes it back, lets go of what is the other's, or writes over the other's notes from
 * where it was.
 */
export const heldClaims: Checker = {
  name: 'held-claims',
  *check(history) {
    const before = new Map<number, Stood>()
    for (const { revision, stood, next, wasLost, key } of claimsWritten(history)) {
      before.set(revision, stood)
      if (!wasLost || stood.claim === '' || next.atMs - stood.atMs > silentMs) continue
      yield { atMs: next.atMs, text: `${next.claim} took ${key} back, which ${stood.claim} was at` }
    }
    for (const { atMs, writer, pid, name, claim, revision } of history.migrationWrites) {
      const isOwn = (each: string): boolean => each !== '' && JSON.parse(each).pid === pid
      const stood = before.get(revision)
      // Any process may finish the status of a migration that has ended.
      if (isOwn(claim) || !stood || stood.isEnded || isOwn(stood.claim)) continue
      yield { atMs, text: `${writer} wrote ${name}, which was claimed by ${stood.claim || 'no process'}` }
    }
  },
}

/** Every change of a migration that was there before, with whether its claim is one that another has taken the place of. */
function* claimsWritten({ commits }: History) {
  const now = new Map<string, Stood>()
  const held = new Map<string, Set<string>>()
  for (const { atMs, changes } of commits) {
    for (const change of changes) {
      const { key, revision } = change
      if (!isMigrationKey(key)) continue
      if (change.kind !== 'put') {
        now.delete(key)
        continue
      }
      const [stood, next] = [now.get(key), read(change.value, atMs)]
      const claims = held.get(key) ?? new Set()
      const wasLost = stood?.claim !== next.claim && claims.has(next.claim)
      held.set(key, claims.add(next.claim))
      now.set(key, next)
      if (stood) yield { key, revision, stood, next, wasLost: wasLost && next.claim !== '' }
    }
  }
}

function read(value: Uint8Array, atMs: number): Stood {
  const { metadata, status = {} } = parseBytes(value)
  const isEnded = Boolean(
    status.conditions?.some(
      (each: { type: string; status: string }) => ends.has(each.type) && each.status === 'True',
    ),
  )
  return { claim: metadata.annotations?.['strata.dev/claimed-by'] ?? '', isEnded, atMs }
}

const ends: ReadonlySet<string> = new Set(['Succeeded', 'Failed'])
