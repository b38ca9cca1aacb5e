import type { StorageAgreement } from './storage-agreement.ts'

/**
 * The statements of servers without an identity Lease in an agreement record (agreement.md, rule 18). An annotation and not a
 * field of the status: an older release rewrites the status without unknown fields, and keeps the metadata.
 */
export const unseenServersAnnotation = 'strata.dev/unseen-servers'

/**
 * One process of `status.unseenProcesses` that commits each write only under a record that names it. So its name may be
 * removed at any time: what it has under way fails then, and a live process puts its name in again before it writes.
 * A name without such a statement is of a release that does not guard its writes.
 */
export interface UnseenServer {
  readonly process: string
  readonly since: string
  /** The key that it writes under, and those that it reads (rule 17). */
  readonly writeKey: string
  readonly readableKeys: readonly string[]
  /** Why it writes nothing for the sake of keys; absent if it writes. */
  readonly keyProblem?: string
}

/** Statements of processes that the record names. Text that cannot be understood states nothing. */
export function unseenServersOf({
  metadata,
  status,
}: Pick<StorageAgreement, 'metadata' | 'status'>): readonly UnseenServer[] {
  const text = metadata?.annotations?.[unseenServersAnnotation]
  if (text === undefined || !status.unseenProcesses) return []
  const named = new Set(status.unseenProcesses)
  try {
    const all: unknown = JSON.parse(text)
    return Array.isArray(all) ? all.filter(isUnseenServer).filter(({ process }) => named.has(process)) : []
  } catch {
    return []
  }
}

function isUnseenServer(value: unknown): value is UnseenServer {
  const { process, since, writeKey, readableKeys, keyProblem } = (value ?? {}) as Record<string, unknown>
  return (
    [process, since, writeKey].every((each) => typeof each === 'string') &&
    Array.isArray(readableKeys) &&
    readableKeys.every((each) => typeof each === 'string') &&
    (keyProblem === undefined || typeof keyProblem === 'string')
  )
}
