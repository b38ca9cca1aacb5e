import { isFrozenResource } from './frozen-resources.ts'
import type { StorageAgreement } from './storage-agreement.ts'
import { unseenServersOf } from './unseen-servers.ts'

/** What a collector has observed of a process without an identity Lease, on its own monotonic clock. */
export interface UnseenMemory {
  readonly sinceMs: number
  /** How long its name stands before it is challenged again; grows each time that the process answers. */
  readonly intervalMs: number
  /** The record that its name was removed from, to see whether it comes back. */
  readonly challenge?: { readonly record: string; readonly atMs: number }
}

export interface UnseenNames {
  readonly memory: ReadonlyMap<string, UnseenMemory>
  readonly remove: readonly { readonly record: string; readonly process: string }[]
  /** Undefined: until a record changes. */
  readonly lookAgainMs: number | undefined
}

const firstIntervalMs = 60_000
const longestIntervalMs = 3_600_000
/** A live process hears of the removal from its watch, within moments. */
const answerMs = 20_000

/**
 * Which names of processes without an identity a collector removes (agreement.md, rule 18). Each write of such a process
 * is guarded by its name, so a removal is safe at any time, also of a process that lives: it puts its name in again before
 * it writes. So a name is challenged: the collector removes it from one record. If it does not come back, the process has
 * ended, and the collector removes it from all records. No claim rests on these times: a process that is slow to answer
 * comes back, and the epochs say so.
 *
 * The challenged record is one of a frozen kind, if there is one: its writes are not guarded, so no client waits for it.
 *
 * Names without a statement are of releases that do not guard their writes. The collector leaves them.
 */
export function decideUnseenNames(facts: {
  readonly records: readonly StorageAgreement[]
  readonly memory: ReadonlyMap<string, UnseenMemory>
  readonly nowMs: number
}): UnseenNames {
  const { records, nowMs } = facts
  const named = new Map<string, StorageAgreement[]>()
  for (const record of records) {
    for (const { process } of unseenServersOf(record)) {
      named.set(process, [...(named.get(process) ?? []), record])
    }
  }
  const memory = new Map<string, UnseenMemory>()
  const remove: { record: string; process: string }[] = []
  const looks: number[] = []
  for (const [process, where] of named) {
    const names = where.toSorted(byCost).map(nameOf)
    const now = remembered(facts.memory.get(process), names, nowMs)
    const { challenge, sinceMs, intervalMs } = now
    const dueMs = challenge ? challenge.atMs + answerMs : sinceMs + intervalMs
    if (nowMs < dueMs) looks.push(dueMs - nowMs)
    const [cheapest = ''] = names
    if (nowMs < dueMs) memory.set(process, now)
    else if (challenge) {
      memory.set(process, now)
      remove.push(...names.map((record) => ({ record, process })))
    } else {
      memory.set(process, { ...now, challenge: { record: cheapest, atMs: nowMs } })
      remove.push({ record: cheapest, process })
      looks.push(answerMs)
    }
  }
  return { memory, remove, lookAgainMs: looks.length === 0 ? undefined : Math.min(...looks) }
}

/** A process that has answered its challenge is left alone for longer. */
function remembered(before: UnseenMemory | undefined, names: readonly string[], nowMs: number): UnseenMemory {
  if (!before) return { sinceMs: nowMs, intervalMs: firstIntervalMs }
  const { challenge, intervalMs } = before
  // The removal itself takes a moment to be seen.
  if (!challenge || !names.includes(challenge.record) || nowMs < challenge.atMs + seenMs) return before
  return { sinceMs: nowMs, intervalMs: Math.min(longestIntervalMs, 2 * intervalMs) }
}

/** How long a collector's view may still show a name that it has just removed. */
const seenMs = 5_000

const nameOf = ({ metadata }: StorageAgreement): string => metadata.name ?? ''

function byCost(a: StorageAgreement, b: StorageAgreement): number {
  const cost = ({ spec }: StorageAgreement): number => (isFrozenResource(spec) ? 0 : 1)
  return cost(a) - cost(b) || (nameOf(a) < nameOf(b) ? -1 : 1)
}
