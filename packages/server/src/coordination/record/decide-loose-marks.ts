import type { AgreementEntry, AgreementStatus, LooseMark } from '@strata/api'

export interface LooseFacts {
  readonly previous: AgreementStatus | undefined
  readonly previousRevision?: number
  readonly entries: readonly AgreementEntry[]
  /** The process that takes its own entry back, after its last write (rule 7). */
  readonly leavingProcess?: string
  /** Marks, by their keys, that whoever decides has watched for long enough. */
  readonly settledLoose?: ReadonlySet<string>
  readonly now: string
}

/** Names one mark: a process may come back, and be expelled again, and the time begins anew. */
export function looseMarkKey({ process, recordRevision }: LooseMark): string {
  return `${process} ${recordRevision}`
}

/**
 * The loose processes that may still write though their entry is gone (rule 14). Without them: a loose server is frozen,
 * and its Lease is deleted; the others agree on v2, fenced, and a migration begins; it thaws with a view that is not a
 * minute old, stores v1, and no guard breaks, while the migration calls itself proven.
 */
export function decideLooseMarks(facts: LooseFacts): readonly LooseMark[] {
  const { previous, previousRevision = 0, entries, leavingProcess, settledLoose, now } = facts
  const present = new Set(entries.map(({ process }) => process))
  const standing = (previous?.looseUntilSettled ?? []).filter(
    (mark) => !present.has(mark.process) && !settledLoose?.has(looseMarkKey(mark)),
  )
  const gone = (previous?.servers ?? []).filter(
    ({ guarantee, process }) => guarantee === 'loose' && !present.has(process) && process !== leavingProcess,
  )
  const made = gone.map(({ serverID, process }) => ({
    ...{ serverID, process, since: now, recordRevision: previousRevision },
  }))
  const all = [...standing, ...made]
  return all.sort((a, b) => (looseMarkKey(a) < looseMarkKey(b) ? -1 : 1))
}

/** Whether anything may be written in this state that no guard would refuse. */
export function mayWriteLoosely({
  encodings,
  servers,
  looseUntilSettled = [],
}: Pick<AgreementStatus, 'encodings' | 'servers' | 'looseUntilSettled'>): boolean {
  return (
    looseUntilSettled.length > 0 ||
    servers.some(({ guarantee }) => guarantee === 'loose') ||
    // While nobody is there, those who were.
    encodings.some((each) => each.endsWith(' loose'))
  )
}
