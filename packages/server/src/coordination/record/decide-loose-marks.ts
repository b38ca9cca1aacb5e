import type { AgreementEntry, AgreementStatus, LooseMark } from '@strata/api'

export interface LooseFacts {
  readonly previous: AgreementStatus | undefined
  readonly previousRevision?: number | undefined
  readonly entries: readonly AgreementEntry[]
  /** The process that removes its own entry, after its last write (rule 7). */
  readonly leavingProcess?: string | undefined
  /** Keys of the marks that the deciding server has watched for long enough. */
  readonly settledLoose?: ReadonlySet<string> | undefined
  readonly now: string
}

/** Names one mark. The revision is part of it: if a process comes back and is expelled again, its time begins anew. */
export function looseMarkKey({ process, recordRevision }: LooseMark): string {
  return `${process} ${recordRevision}`
}

/**
 * The loose processes that may still write though their entry is gone (rule 14). Without these marks:
 *
 * 1. Loose server A is frozen, and its Lease is deleted.
 * 2. The others agree on v2, the record is fenced, and a migration begins.
 * 3. A thaws with a view that is not a minute old and stores v1. No guard breaks, and the migration is called proven.
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

/** Whether a commit that no guard would refuse may be sent, or be on its way, in this state. */
export function mayWriteLoosely({
  encodings,
  servers,
  looseUntilSettled = [],
}: Pick<AgreementStatus, 'encodings' | 'servers' | 'looseUntilSettled'>): boolean {
  return (
    looseUntilSettled.length > 0 ||
    servers.some(({ guarantee }) => guarantee === 'loose') ||
    // Without any server, the encodings of the last ones stay.
    encodings.some((each) => each.endsWith(' loose'))
  )
}
