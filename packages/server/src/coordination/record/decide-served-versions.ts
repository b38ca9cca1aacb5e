import type { AgreementEntry, AgreementStatus } from '@strata/api'

export interface ServedFacts {
  /** The versions that all servers served before; undefined if none were recorded yet. */
  readonly previous: readonly string[] | undefined
  /** The versions that each server with a report serves. An empty list: it does not have the resource. */
  readonly served: ReadonlyArray<readonly string[]>
  /** Every live server records and has reported, and there are as many as expected. */
  readonly isComplete: boolean
  /** True if every server that records has reported. Defaults to `isComplete`. */
  readonly haveAllReported?: boolean
  /** Every server that held a version back has reported again, or no server has come or gone for a while. */
  readonly mayGrow: boolean
  /** No server has come or gone for a while. */
  readonly isSettled?: boolean
}

/**
 * The versions that every server serves. A server that has reported counts at once: versions that it does not serve go. A
 * starting server removes no version, because it gets no traffic yet; but until it has reported, no version is added either.
 * Nor is one added at once when a server leaves: two of three servers serve v2, and the third restarts with its old release;
 * v2 would come when its Lease goes, and go again when it is back.
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
  // There is no server: the next one begins with the versions of the last.
  if (!first) return previous ?? []
  const byAll = [...new Set(first)].filter((each) => others.every((list) => list.includes(each))).sort()
  if (isComplete && mayGrow) return byAll
  // A kind that was never served also waits for starting servers; but not for ever, if one of them never reports, and not
  // for one that does not record. Otherwise: A and B start on an empty store, and A does not record; both are ready, and for
  // a minute B serves next to nothing.
  if (previous === undefined || previous.length === 0) {
    return isSettled || (haveAllReported && mayGrow) ? byAll : []
  }
  const kept = byAll.filter((each) => previous.includes(each))
  // After a full stop another release may have no version in common with the last one. Then its own versions are served.
  return kept.length > 0 ? kept : byAll
}

export interface ServingFacts {
  readonly previous: AgreementStatus | undefined
  readonly entries: readonly AgreementEntry[]
  /** Fully registered servers without an entry here: they do not have the resource. */
  readonly lacking: readonly string[]
  /** Servers that do not record: what they serve is unknown. Served versions stay, and none is added while they live. */
  readonly unrecorded?: readonly string[]
  readonly isComplete: boolean
  readonly haveAllReported?: boolean
  readonly isSettled: boolean
}

/**
 * The versions that all serve, and the servers that hold others back. Such a server is remembered when it leaves, until it is
 * back or a minute is over. Otherwise: a and b serve v2, c does not; c is restarted, and meanwhile a is killed and comes
 * back; v2 comes with a, because a server has come and all live ones serve v2, and goes again with c.
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
  const heard = new Set([...entries.map(({ serverID }) => serverID), ...lacking, ...unrecorded])
  const away = isSettled ? [] : (previous?.heldBackBy ?? []).filter((id) => !heard.has(id))
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
