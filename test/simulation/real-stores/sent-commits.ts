import type { Change, Commit, CommitOutcome, Entry, Guard, Write } from '@strata/server/store'

/** What an adapter has told of a commit: `failed` promises that nothing was written, `unknown` promises nothing. */
export type Told = CommitOutcome['outcome'] | 'failed' | 'unknown'

/** One commit that a server has handed to its adapter. */
export interface SentCommit {
  readonly writer: string
  readonly commit: Commit
  readonly sentMs: number
  told?: { readonly how: Told; readonly text: string; readonly revisions: readonly number[] }
  /** The first revision of each time that it was found in the store. */
  readonly found: number[]
  /** Keys whose guard did not hold when it was written. */
  readonly broken: string[]
}

/** What stands at a key before the change. */
export type Before = (key: string) => Entry | undefined

/**
 * Whose commit the first of these changes belong to: a commit that writes exactly them, whose guards held. Of several, one
 * that was called written at this revision goes first, then one that nobody has told of yet, then one that was called
 * unknown; those that cannot have been written go last.
 */
export function findSender(
  changes: readonly Change[],
  sent: readonly SentCommit[],
  before: Before,
): { readonly sender: SentCommit; readonly length: number } | undefined {
  const candidates = sent.flatMap((sender) => {
    const length = matchedLength(changes, sender.commit.writes, before)
    return length > 0 ? [{ sender, length }] : []
  })
  const revision = changes[0]?.revision ?? 0
  const rank = ({ sender }: { readonly sender: SentCommit }): number => rankOf(sender, revision, before)
  return candidates.sort((a, b) => rank(a) - rank(b) || b.length - a.length)[0]
}

function rankOf({ told, found, commit }: SentCommit, revision: number, before: Before): number {
  const isBroken = brokenGuards(commit, before).length > 0
  if (told?.how === 'committed' && told.revisions.includes(revision)) return 0
  const byAnswer = told === undefined ? 1 : told.how === 'unknown' ? 2 : 3
  return (found.length > 0 ? 100 : 0) + (isBroken ? 10 : 0) + byAnswer
}

/** The keys at which something else stood than the commit was to be on top of. */
export function brokenGuards({ guards }: Commit, before: Before): string[] {
  return guards.filter((guard) => !holds(guard, before(guard.key))).map(({ key }) => key)
}

/** How many of the first changes the writes make, if they make all that they say; 0 if these are not theirs. */
function matchedLength(changes: readonly Change[], writes: readonly Write[], before: Before): number {
  let length = 0
  for (const write of writes) {
    // A delete of what is absent changes nothing.
    if (write.kind === 'delete' && before(write.key) === undefined) continue
    const change = changes[length++]
    if (!change || !isChangeOf(change, write)) return 0
  }
  return length
}

function isChangeOf(change: Change, write: Write): boolean {
  if (change.key !== write.key || change.kind !== write.kind) return false
  return change.kind === 'delete' || (write.kind === 'put' && Buffer.compare(change.value, write.value) === 0)
}

function holds({ revision, value }: Guard, current: Entry | undefined): boolean {
  if (value !== undefined) return current !== undefined && Buffer.compare(value, current.value) === 0
  return (current?.revision ?? 'absent') === revision
}
