import type { AgreementEntry, AgreementStatus } from '@strata/api'

export interface ServedFacts {
  /** What was served by all before; undefined if nobody has said so yet. */
  readonly previous: readonly string[] | undefined
  /** What each server that has reported serves, or has said that it does not serve. */
  readonly served: ReadonlyArray<readonly string[]>
  /** Every live server has said so, and as many as were expected. */
  readonly isComplete: boolean
  /** Everyone has who ever will: who is missing does not record what it serves, and has said so. The same unless told. */
  readonly haveAllReported?: boolean
  /** Whoever held something back has spoken again, or none has come or gone for a while. */
  readonly mayGrow: boolean
  /** None has come or gone for a while. */
  readonly isSettled?: boolean
}

/**
 * The versions that every server serves. A server that has reported counts at once: what it does not serve goes. One that is
 * only starting takes nothing away, for nobody is sent to it yet; but while it has not spoken, nothing comes either. And
 * nothing comes at once because a server has left: two of three servers serve v2, and the third restarts with its old
 * release; v2 would come when its Lease goes, and go again when it is back.
 */
export function decideServedVersions({
  previous,
  served,
  isComplete,
  haveAllReported = isComplete,
  mayGrow,
  isSettled = false,
}: ServedFacts): readonly string[] {
  const [first, ...others] = served
  // Nobody serves anything: whoever comes next begins where the last one stopped.
  if (!first) return previous ?? []
  const byAll = [...new Set(first)].filter((each) => others.every((list) => list.includes(each))).sort()
  if (isComplete && mayGrow) return byAll
  // A kind that nobody has served waits for all who are starting too; but not for ever, if one of them never speaks, and
  // not at all for one that does not record. Otherwise: two servers start on an empty store, one of them without records;
  // both are ready, and for a minute the other one serves next to nothing.
  if (previous === undefined || previous.length === 0) {
    return isSettled || (haveAllReported && mayGrow) ? byAll : []
  }
  const kept = byAll.filter((each) => previous.includes(each))
  // After a full stop another release may have nothing in common with the last one. To serve nothing helps nobody.
  return kept.length > 0 ? kept : byAll
}

export interface ServingFacts {
  readonly previous: AgreementStatus | undefined
  readonly entries: readonly AgreementEntry[]
  /** Servers that have registered all they have, and have no entry here: they do not serve it at all. */
  readonly lacking: readonly string[]
  /** Servers that do not record: nobody knows what they serve. What was served stays, and nothing more comes beside them. */
  readonly unrecorded?: readonly string[]
  readonly isComplete: boolean
  readonly haveAllReported?: boolean
  readonly isSettled: boolean
}

/**
 * What all serve, and who keeps it from being more. Who does so is remembered when it leaves, until it is back or a minute
 * is over. Otherwise: a and b serve v2, c does not; c is restarted, and meanwhile a is killed and back; v2 would come
 * with a, because somebody has come and everyone there serves it, and go again with c.
 */
export function decideServing({
  previous,
  entries,
  lacking,
  unrecorded = [],
  isComplete,
  haveAllReported = isComplete,
  isSettled,
}: ServingFacts): Pick<AgreementStatus, 'servedVersions' | 'heldBackBy'> {
  const all = new Set(entries.flatMap(({ servedVersions }) => servedVersions))
  const spoken = new Set([...entries.map(({ serverID }) => serverID), ...lacking, ...unrecorded])
  const away = isSettled ? [] : (previous?.heldBackBy ?? []).filter((id) => !spoken.has(id))
  const known = new Set(previous?.servers.map(({ process }) => process))
  const hasCome = entries.some(({ process }) => !known.has(process))
  const without = entries.filter(({ servedVersions }) => new Set(servedVersions).size < all.size)
  const servedVersions = decideServedVersions({
    previous: previous?.servedVersions,
    served:
      entries.length === 0 ? [] : [...entries.map((each) => each.servedVersions), ...lacking.map(() => [])],
    isComplete,
    haveAllReported,
    mayGrow: isSettled || (hasCome && away.length === 0),
    isSettled,
  })
  const isHeldBack = entries.length > 0 && servedVersions.length < all.size
  const heldBackBy = [
    ...away,
    ...without.map(({ serverID }) => serverID),
    ...(all.size > 0 ? lacking : []),
    ...(isHeldBack ? unrecorded : []),
  ]
  const who = [...new Set(heldBackBy)].sort()
  return { servedVersions, ...(who.length > 0 ? { heldBackBy: who } : {}) }
}
